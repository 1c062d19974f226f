import { randomUUID } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import { creationFlags, syncFile } from '../write-file-atomically.ts';

const mode = 0o700;

/**
 * Keeps an uploaded snapshot at `path`, whole or not at all. Yields its size in bytes. Source: Talos v1.14: EtcdRecover.
 *
 * @throws Fault `failed-precondition` where the folder is missing, `invalid-argument` for an upload without a byte
 */
export async function receiveSnapshot(path: string, pieces: AsyncIterable<Uint8Array>): Promise<number> {
  const folder = await stat(dirname(path)).catch(() => undefined);
  if (folder?.isDirectory() !== true)
    throw new Fault('failed-precondition', 'etcd service is not ready for recovery yet');
  const partial = `${path}.${randomUUID()}`;
  let sizeBytes = 0;
  try {
    {
      await using file = await open(partial, creationFlags, mode);
      for await (const piece of pieces) {
        sizeBytes += piece.length;
        await file.writeFile(piece);
      }
    }
    await syncFile(partial);
    if (sizeBytes === 0) throw new Fault('invalid-argument', 'the snapshot of etcd is empty');
    await rename(partial, path);
    return sizeBytes;
  } catch (error) {
    throw faultFrom(error);
  } finally {
    await rm(partial, { force: true });
  }
}
