import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { faultFrom } from '@nodewright/fault';

/** Whether etcd has no data: the folder is empty or not there. @throws Fault when it cannot be read */
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
 * Whether all that is there is the database, which etcd makes before anything else, without the log in which it keeps
 * what cluster is its own: it ended while it still asked the others for that. Started from it as it is, it would make a
 * cluster of itself alone.
 */
export async function isEtcdUnborn(folder: string): Promise<boolean> {
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

/** Removes what is in the folder, and not the folder, which may be a volume. Source: Talos v1.14: etcd leave. */
export async function emptyEtcdData(folder: string): Promise<void> {
  if (await isEtcdDataEmpty(folder)) return;
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
}
