import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { NodeClient } from '@nodewright/client';
import { Fault, faultFrom } from '@nodewright/fault';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import { showWait } from '../context/progress.ts';
import {
  readSnapshotInfo,
  type SnapshotInfo,
  snapshotInfoDocument,
  snapshotInfoText,
} from '../etcd/snapshot-info.ts';
import { NodeErrors } from '../nodes/node-errors.ts';
import {
  addNodeOptions,
  addOutputOption,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { onlyTarget } from '../nodes/only-target.ts';
import { openClient } from '../nodes/open-client.ts';
import { writeDocument } from '../render/document.ts';

interface BootstrapOptions extends NodeOptions, OutputOptions {
  readonly recoverFrom?: string;
  readonly recoverSkipHashCheck?: boolean;
}

/** Bytes per message. Source: Talos v1.14: bootstrap. */
const chunkBytes = 4096;

/** `talosctl bootstrap`: starts etcd on the first control plane node. Source: Talos v1.14: bootstrap. */
export const bootstrapCommand: CommandModule = {
  define(command, env) {
    addOutputOption(addNodeOptions(command))
      .option('--recover-from <snapshot>', 'restore etcd from this local snapshot file')
      .option(
        '--recover-skip-hash-check',
        'accept a snapshot without a checksum, such as a database file copied from a disk',
      )
      .action((options: BootstrapOptions) => bootstrap(env, options));
  },
};

async function bootstrap(env: CliEnvironment, options: BootstrapOptions): Promise<void> {
  const { recoverFrom, recoverSkipHashCheck = false, output } = options;
  const path = recoverFrom === undefined ? undefined : resolve(env.cwd, recoverFrom);
  const snapshot = path === undefined ? undefined : checkSnapshot(path, recoverSkipHashCheck);
  using client = await openClient(env, options);
  const node = onlyTarget(client, 'bootstrap');
  if (snapshot !== undefined && output === 'table') {
    env.stdout.write(`recovering from ${JSON.stringify(path)}: ${snapshotInfoText(snapshot)}\n`);
  }
  const errors = new NodeErrors(env);
  try {
    if (path !== undefined) await showWait(env.stderr, node.name, upload(env, node, path));
    const call = node.machine.bootstrap(
      { recoverEtcd: path !== undefined, recoverSkipHashCheck },
      { signal: env.signal },
    );
    await showWait(env.stderr, node.name, call);
  } catch (error) {
    errors.add(node.name, faultFrom(error));
  }
  errors.end();
  if (output === 'table') return;
  const facts = snapshot === undefined ? {} : { snapshot: snapshotInfoDocument(snapshot) };
  await writeDocument(env.stdout, output, { node: node.name, bootstrapped: true, ...facts });
}

/** Checks the snapshot before the upload. @throws Fault for a file that the node would reject */
function checkSnapshot(path: string, skipHashCheck: boolean): SnapshotInfo {
  const info = readSnapshotInfo(path);
  if (!info.hasChecksum && !skipHashCheck) {
    throw new Fault(
      'invalid-argument',
      `snapshot ${JSON.stringify(path)} has no checksum (a database file copied from a disk has none): add flag --recover-skip-hash-check to use it anyway`,
    );
  }
  return info;
}

async function upload({ signal }: CliEnvironment, node: NodeClient, path: string): Promise<void> {
  await using file = await open(path);
  async function* chunks() {
    for await (const piece of file.createReadStream({ highWaterMark: chunkBytes, autoClose: false })) {
      yield { bytes: piece as Buffer };
    }
  }
  await node.machine.etcdRecover(chunks(), { signal });
}
