import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '@nodewright/client/talosconfig';

/** Everything in a cluster's folder is its owner's business: it holds keys. */
export const privateFolderMode = 0o700;
const privateFileMode = 0o600;

/**
 * Replaces a file as a whole: a reader, and a crash at any moment, sees the old content or the new one. Mode 0600
 * whatever the umask; missing folders are made with 0700.
 */
export async function writePrivateFile(path: string, content: string): Promise<void> {
  await makeFolder(dirname(path), privateFolderMode);
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = await open(temporary, 'wx', privateFileMode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
