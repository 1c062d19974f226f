import { resolve } from 'node:path';
import type { NodeClient } from '@nodewright/client';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { PartialFile } from '../../context/partial-file.ts';
import { SnapshotChecksum } from '../../etcd/snapshot-checksum.ts';
import {
  hasChecksum,
  type SnapshotInfo,
  snapshotInfoDocument,
  snapshotInfoOf,
  snapshotInfoText,
} from '../../etcd/snapshot-info.ts';
import { NodeErrors } from '../../nodes/node-errors.ts';
import { onlyTarget } from '../../nodes/only-target.ts';
import { openClient } from '../../nodes/open-client.ts';
import { showTransfer } from '../../nodes/show-transfer.ts';
import { writeDocument } from '../../render/document.ts';
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
  // An existing file may be the last good backup, so it is replaced by nothing that was not checked.
  await using draft = await PartialFile.open(path);
  await saveDatabase(env, node, draft);
  const info = checkedInfo(node.name, draft.path);
  env.signal.throwIfAborted();
  await draft.commit();
  const size = draft.sizeBytes;
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

/** @throws ReportedFailure when the node failed, Fault `data-loss` for a snapshot that is not what the node hashed */
async function saveDatabase(env: CliEnvironment, node: NodeClient, draft: PartialFile): Promise<void> {
  const errors = new NodeErrors(env);
  const pieces = node.machine.etcdSnapshot({}, { signal: env.signal });
  const transfer = showTransfer(env, node.name, pieces, {});
  const checksum = new SnapshotChecksum();
  for (;;) {
    const next = await transfer.next().catch((error: unknown) => {
      errors.add(node.name, faultFrom(error));
      errors.end();
      throw error;
    });
    if (next.done) break;
    checksum.update(next.value);
    await draft.write(next.value);
  }
  if (!hasChecksum(draft.sizeBytes)) {
    throw new Fault(
      'data-loss',
      `${node.name} sent ${draft.sizeBytes} bytes, which do not end in a checksum: the snapshot is incomplete, take it again`,
    );
  }
  if (!checksum.matches()) {
    throw new Fault(
      'data-loss',
      `${node.name} sent a snapshot that does not match its SHA-256: it is damaged, take it again`,
    );
  }
}

/** @throws Fault `data-loss` when the file is no database, although it is what the node hashed */
function checkedInfo(node: string, path: string): SnapshotInfo {
  try {
    return snapshotInfoOf(path);
  } catch (error) {
    const { kind, message } = faultFrom(error);
    const isDamaged = kind === 'invalid-argument';
    throw new Fault(
      isDamaged ? 'data-loss' : kind,
      `${node} sent a snapshot that cannot be read: ${message}`,
      {
        cause: error,
      },
    );
  }
}
