import { open, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { NodeClient } from '@nodewright/client';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../command-module.ts';
import {
  hasChecksum,
  readSnapshotInfo,
  snapshotInfoDocument,
  snapshotInfoText,
} from '../../etcd/snapshot-info.ts';
import { NodeErrors } from '../../node-errors.ts';
import { onlyTarget } from '../../only-target.ts';
import { openClient } from '../../open-client.ts';
import { writeDocument } from '../../render/document.ts';
import { showTransfer } from '../../show-transfer.ts';
import { addEtcdCommand, type EtcdOptions } from './etcd-options.ts';

/** `talosctl etcd snapshot <path>`: saves the database to a local file. Source: Talos v1.14: etcd snapshot. */
export function defineEtcdSnapshot(etcd: Command, env: CliEnvironment): void {
  addEtcdCommand(etcd, 'snapshot', 'Save the database of etcd to a local file')
    .argument('<path>', 'file to write; an existing file is replaced after a complete download')
    .action((path: string, _: EtcdOptions, command: Command) =>
      takeSnapshot(env, resolve(env.cwd, path), command.optsWithGlobals()),
    );
}

async function takeSnapshot(env: CliEnvironment, path: string, options: EtcdOptions): Promise<void> {
  using client = await openClient(env, options);
  const node = onlyTarget(client, 'etcd snapshot');
  const part = `${path}.part`;
  const size = await saveDatabase(env, node, part).catch(async (error: unknown) => {
    await rm(part, { force: true });
    throw error;
  });
  await rename(part, path);
  const info = readSnapshotInfo(path);
  if (options.output !== 'table') {
    await writeDocument(env.stdout, options.output, {
      ...{ node: node.name, path, size },
      ...snapshotInfoDocument(info),
    });
    return;
  }
  env.stdout.write(
    `etcd snapshot saved to ${JSON.stringify(path)} (${size} bytes)\n${snapshotInfoText(info)}\n`,
  );
}

/** Resolves to the number of bytes saved. @throws ReportedFailure when the node failed */
async function saveDatabase(env: CliEnvironment, node: NodeClient, part: string): Promise<number> {
  await using file = await open(part, 'w', 0o600);
  const errors = new NodeErrors(env);
  const pieces = node.machine.etcdSnapshot({}, { signal: env.signal });
  const transfer = showTransfer(env, node.name, pieces, {});
  let size = 0;
  for (;;) {
    const next = await transfer.next().catch((error: unknown) => {
      errors.add(node.name, faultFrom(error));
      errors.end();
      throw error;
    });
    if (next.done) break;
    size += next.value.length;
    await file.write(next.value);
  }
  if (!hasChecksum(size)) {
    throw new Fault(
      'data-loss',
      `${node.name} sent ${size} bytes, which do not end in a checksum: the snapshot is incomplete, take it again`,
    );
  }
  await file.sync();
  return size;
}
