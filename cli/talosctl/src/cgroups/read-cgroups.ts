import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { NodeClient } from '@nodewright/client';
import { Fault, faultFrom } from '@nodewright/fault';
import { extract } from 'tar-stream';
import { entryPath } from '../archive/entry-path.ts';
import { CgroupTree } from './cgroup-tree.ts';

const cgroupRoot = '/sys/fs/cgroup';
/** The kernel has this file in the root of version 2 only. */
const controllers = `${cgroupRoot}/cgroup.controllers`;

/** What an archive of control groups may have in it: a node with 5,000 groups of 60 files stays below both. */
export const cgroupLimits = { entries: 400_000, bytes: 128 * 2 ** 20 } as const;

export interface ReadCgroups {
  readonly tree: CgroupTree;
  /** What the node could not copy; the rest is in the tree. */
  readonly problem: Fault | undefined;
}

/**
 * All control groups of a node, by a copy of their files. Source: Talos v1.14: cgroups.
 *
 * @throws Fault `failed-precondition` for a node with control groups of version 1
 */
export async function readCgroups(node: NodeClient, signal: AbortSignal): Promise<ReadCgroups> {
  await checkVersion(node, signal);
  let problem: Fault | undefined;
  async function* archive() {
    try {
      for await (const { bytes } of node.machine.copy({ rootPath: cgroupRoot }, { signal })) yield bytes;
    } catch (error) {
      // The status of a copy follows a whole archive when single files could not be read.
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
      `the node has control groups of version 1, and cgroups shows version 2: there is no ${controllers}`,
    );
  }
}

/** @throws Fault `resource-exhausted` for an archive beyond the limits, `data-loss` for one that leads elsewhere */
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
        `the node has more than ${limits.entries} files of control groups, or more than ${limits.bytes} bytes in them`,
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
