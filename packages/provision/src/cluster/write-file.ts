import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import { makeFolder } from '@nodewright/fault/make-folder';

/** Everything in a cluster's folder is its owner's business: it holds keys. */
export const privateFolderMode = 0o700;
const privateFileMode = 0o600;

/**
 * Replaces a file as a whole: a reader, and a crash at any moment, sees the old content or the new one. Mode 0600
 * whatever the umask; missing folders are made with 0700.
 *
 * @throws Fault with the path; the old file is still there
 */
export async function writePrivateFile(path: string, content: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await makeFolder(dirname(path), privateFolderMode);
    const file = await open(temporary, 'wx', privateFileMode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    const { kind, message } = faultFrom(error);
    throw new Fault(kind, `cannot write "${path}": ${message}`, { cause: error });
  }
}
