import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { faultFrom } from '@nodewright/fault';
import { syncFolder } from '@nodewright/files';

/** All data of a member, which etcd reads together. */
const member = 'member';
/** Data that are being removed. etcd does not look there. */
const leftover = 'member.removed';

/**
 * Whether etcd has no data: the folder is missing or empty, but for what is left of a removal.
 *
 * @throws Fault when it cannot be read
 */
export async function isEtcdDataEmpty(folder: string): Promise<boolean> {
  return (await namesIn(folder)).every((name) => name === leftover);
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const fault = faultFrom(error);
    if (fault.kind === 'not-found') return [];
    throw fault;
  }
}

/**
 * Whether the folder holds only the database, which etcd creates first, without the write-ahead log that
 * records its cluster. Such an etcd stopped while it was requesting the cluster data from the other members.
 * Started again from this data, it would create a cluster of its own.
 */
export async function isEtcdDataIncomplete(folder: string): Promise<boolean> {
  const holdsOnly = async (path: string, ...names: readonly string[]) =>
    (await readdir(join(folder, path))).every((name) => names.includes(name));
  try {
    if (await isEtcdDataEmpty(folder)) return false;
    return (
      (await holdsOnly('', member, leftover)) &&
      (await holdsOnly(member, 'snap', 'wal.tmp')) &&
      (await holdsOnly(join(member, 'snap'), 'db'))
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR' || code === 'ENOENT') return false;
    throw faultFrom(error);
  }
}

/** Removes a file, or a folder with all that is in it. */
export type Remove = (path: string) => Promise<void>;

const removeAll: Remove = (path) => rm(path, { recursive: true, force: true });

/**
 * Removes the content of the folder, but not the folder, which may be a volume. The data are renamed first: after a power cut in the
 * middle either all of them are there or none. A snapshot without its log would make a cluster of its own. Source: Talos v1.14: etcd
 * leave.
 */
export async function emptyEtcdData(folder: string, remove = removeAll): Promise<void> {
  await removeEtcdLeftovers(folder, remove);
  const names = await namesIn(folder);
  if (names.includes(member)) {
    await rename(join(folder, member), join(folder, leftover));
    await syncFolder(folder);
  }
  for (const name of await namesIn(folder)) await remove(join(folder, name));
}

/** Removes what an interrupted removal has left. */
export async function removeEtcdLeftovers(folder: string, remove = removeAll): Promise<void> {
  if ((await namesIn(folder)).includes(leftover)) await remove(join(folder, leftover));
}
