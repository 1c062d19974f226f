import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, type FileHandle, lchown, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import { makeFolder } from './make-folder.ts';

export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

/** How a file comes to be, and who may read it. */
export interface FileAccess {
  /** What the new file is called until it is whole, after the name of the old one; default `.new`. */
  readonly temporarySuffix?: string;
  /** Others may write the file at the same moment: each writes a file of its own first, and the last one counts. */
  readonly hasOtherWriters?: boolean;
  /** Default: this process's user. */
  readonly owner?: FileOwner;
  /** Default 0600. */
  readonly mode?: number;
}

const privateMode = 0o600;
const directoryMode = 0o700;
const { O_CREAT, O_DIRECTORY, O_EXCL, O_RDONLY, O_SYNC, O_WRONLY } = constants;

/**
 * Node's permission model takes fsync, fchown and fchmod away, whatever it allows. O_SYNC and the calls that take a path
 * do the same there, but for the sync of the folder: a crash of the machine may bring the old file back, never a part.
 */
const hasHandleCalls = process.permission === undefined;
/** Of files that are made anew, and that last once they are whole and `syncFile` was called. */
export const creationFlags = O_WRONLY | O_CREAT | O_EXCL | (hasHandleCalls ? 0 : O_SYNC);

/**
 * Replaces `path` by a file with `text` that only its owner may read, and others as far as `access` lets them: whoever
 * reads it, and whoever reads it after a crash, finds the old or the new text, never a part. The folder is made when it
 * is missing. One writer at a time, unless `access` says otherwise.
 *
 * @throws Fault with the path; the old file is still there.
 */
export async function writeFileAtomically(
  path: string,
  text: string,
  access: FileAccess = {},
): Promise<void> {
  const temporary = path + suffixOf(access);
  const folder = dirname(path);
  try {
    await makeFolder(folder, directoryMode);
    // What a crash left is not reused: it may belong to someone else or have another mode.
    await rm(temporary, { force: true });
    {
      await using file = await open(temporary, creationFlags, privateMode);
      await file.writeFile(text);
      if (hasHandleCalls) await shareByHandle(file, access);
      else await shareByPath(temporary, access);
    }
    await rename(temporary, path);
    await syncFolder(folder);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    const { kind, message } = faultFrom(error);
    throw new Fault(kind, `cannot write "${path}": ${message}`, { cause: error });
  }
}

function suffixOf({ temporarySuffix = '.new', hasOtherWriters = false }: FileAccess): string {
  return hasOtherWriters ? `.${randomBytes(6).toString('hex')}.tmp` : temporarySuffix;
}

/** Makes a file that somebody else may have written last through a crash of the machine, as far as this process may. */
export async function syncFile(path: string): Promise<void> {
  if (!hasHandleCalls) return;
  {
    await using file = await open(path, O_RDONLY);
    await file.sync();
  }
  await syncFolder(dirname(path));
}

async function shareByHandle(file: FileHandle, { owner, mode }: FileAccess): Promise<void> {
  if (owner !== undefined) await file.chown(owner.uid, owner.gid);
  if (mode !== undefined) await file.chmod(mode);
  // After both, so that a file that survives has its owner and mode, too.
  await file.sync();
}

/** For folders that only this process writes, as those of a node of containers are: nobody can put a link there. */
async function shareByPath(path: string, { owner, mode }: FileAccess): Promise<void> {
  if (owner !== undefined) await lchown(path, owner.uid, owner.gid);
  if (mode !== undefined) await chmod(path, mode);
}

/** Makes new names last, and that old ones are gone, as far as this process may. Some file systems cannot. */
export async function syncFolder(path: string): Promise<void> {
  if (!hasHandleCalls) return;
  await using folder = await open(path, O_RDONLY | O_DIRECTORY);
  await folder.sync().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EINVAL' && error.code !== 'ENOTSUP') throw error;
  });
}
