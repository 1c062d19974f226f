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

/** Removes what is in the folder, and not the folder, which may be a volume. Source: Talos v1.14: etcd leave. */
export async function emptyEtcdData(folder: string): Promise<void> {
  if (await isEtcdDataEmpty(folder)) return;
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
}
