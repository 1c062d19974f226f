import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { faultFrom } from '@nodewright/fault';

/** Whether etcd has no data: the folder is empty or missing. @throws Fault when it cannot be read */
export async function isEtcdDataEmpty(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length === 0;
  } catch (error) {
    const fault = faultFrom(error);
    if (fault.kind === 'not-found') return true;
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
      (await holdsOnly('', 'member')) &&
      (await holdsOnly('member', 'snap', 'wal.tmp')) &&
      (await holdsOnly('member/snap', 'db'))
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR' || code === 'ENOENT') return false;
    throw faultFrom(error);
  }
}

/**
 * Removes the content of the folder, but not the folder, which may be a volume. Source: Talos v1.14: etcd
 * leave.
 */
export async function emptyEtcdData(folder: string): Promise<void> {
  if (await isEtcdDataEmpty(folder)) return;
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
}
