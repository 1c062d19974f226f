import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { faultFrom } from '@nodewright/fault';
import { memberIdInWal, walStartBytes } from '../domain/wal-member.ts';

/**
 * The id of the member that the data of etcd belong to, whether etcd runs or not; `undefined` when the folder holds no write-ahead log,
 * or a damaged one.
 *
 * @param folder the data folder
 * @throws Fault when it cannot be read
 */
export async function readStoredMemberId(folder: string): Promise<bigint | undefined> {
  const wal = join(folder, 'member', 'wal');
  try {
    const newest = (await readdir(wal))
      .filter((name) => name.endsWith('.wal'))
      .sort()
      .at(-1);
    if (newest === undefined) return undefined;
    await using file = await open(join(wal, newest), 'r');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(walStartBytes), 0, walStartBytes, 0);
    return memberIdInWal(buffer.subarray(0, bytesRead));
  } catch (error) {
    const fault = faultFrom(error);
    if (fault.kind === 'not-found') return undefined;
    throw fault;
  }
}
