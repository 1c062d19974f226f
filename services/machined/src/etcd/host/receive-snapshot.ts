import { randomUUID } from 'node:crypto';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import { creationFlags, syncFile } from '@nodewright/files';

const mode = 0o700;
const uuid = /\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Files that this process is writing. */
const partials = new Set<string>();

/**
 * Stores an uploaded snapshot at `path` atomically. Resolves to its size in bytes. Source: Talos v1.14:
 * EtcdRecover.
 *
 * @throws Fault `failed-precondition` when the folder is missing, `invalid-argument` for an empty upload
 */
export async function receiveSnapshot(path: string, pieces: AsyncIterable<Uint8Array>): Promise<number> {
  const folder = await stat(dirname(path)).catch(() => undefined);
  if (folder?.isDirectory() !== true)
    throw new Fault('failed-precondition', 'etcd service is not ready for recovery yet');
  await removeLeftovers(path);
  const partial = `${path}.${randomUUID()}`;
  partials.add(partial);
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
    partials.delete(partial);
  }
}

/** Removes partial files of a process that was killed during an upload: a snapshot may take gigabytes. */
async function removeLeftovers(path: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    const left = join(folder, name);
    if (name.startsWith(`${basename(path)}.`) && uuid.test(name) && !partials.has(left)) {
      await rm(left, { force: true });
    }
  }
}
