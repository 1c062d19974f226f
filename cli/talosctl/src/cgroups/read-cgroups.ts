import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { NodeClient } from '@nodewright/client';
import { Fault, faultFrom } from '@nodewright/fault';
import { extract } from 'tar-stream';
import { entryPath } from '../archive/entry-path.ts';
import { CgroupTree } from './cgroup-tree.ts';

const cgroupRoot = '/sys/fs/cgroup';
/** Only cgroup v2 has this file in its root. */
const controllers = `${cgroupRoot}/cgroup.controllers`;

/** Limits of an archive of control groups. A node with 5,000 groups of 60 files is below both. */
export const cgroupLimits = { entries: 400_000, bytes: 128 * 2 ** 20 } as const;

export interface ReadCgroups {
  readonly tree: CgroupTree;
  /** The failure when the node could not copy some files; the tree holds the others. */
  readonly problem: Fault | undefined;
}

/**
 * Reads all control groups of a node by copying their files. Source: Talos v1.14: cgroups.
 *
 * @throws Fault `failed-precondition` for a node with cgroup v1
 */
export async function readCgroups(node: NodeClient, signal: AbortSignal): Promise<ReadCgroups> {
  await checkVersion(node, signal);
  let problem: Fault | undefined;
  async function* archive() {
    try {
      for await (const { bytes } of node.machine.copy({ rootPath: cgroupRoot }, { signal })) yield bytes;
    } catch (error) {
      // When some files cannot be read, the node sends a complete archive and then an error status.
      problem = faultFrom(error);
    }
  }
  try {
    const tree = await treeFromArchive(archive());
    return { tree, problem };
  } catch (error) {
    throw problem ?? faultFrom(error);
  }
}

async function checkVersion(node: NodeClient, signal: AbortSignal): Promise<void> {
  try {
    for await (const _ of node.machine.read({ path: controllers }, { signal }));
  } catch (error) {
    const fault = faultFrom(error);
    if (fault.kind !== 'not-found') throw fault;
    throw new Fault(
      'failed-precondition',
      `the node uses cgroup v1, and this command supports only cgroup v2: there is no ${controllers}`,
    );
  }
}

/** @throws Fault `resource-exhausted` for an archive over the limits, `data-loss` for a path outside the folder */
export async function treeFromArchive(
  archive: AsyncIterable<Uint8Array>,
  limits: { readonly entries: number; readonly bytes: number } = cgroupLimits,
): Promise<CgroupTree> {
  const tree = new CgroupTree();
  const reader = extract();
  const unpacking = pipeline(Readable.from(archive), createGunzip(), reader);
  unpacking.catch(() => {});
  let [entries, total] = [0, 0];
  for await (const entry of reader) {
    const { name, type, size = 0 } = entry.header;
    entries += 1;
    total += size;
    if (entries > limits.entries || total > limits.bytes) {
      throw new Fault(
        'resource-exhausted',
        `the control groups of the node have more than ${limits.entries} files, or more than ${limits.bytes} bytes`,
      );
    }
    const pieces: Buffer[] = [];
    for await (const piece of entry) pieces.push(piece as Buffer);
    const path = entryPath(name);
    if (type === 'directory') tree.addFolder(path);
    else if (type === 'file') tree.addFile(path, Buffer.concat(pieces).toString('latin1'));
  }
  await unpacking;
  return tree;
}
