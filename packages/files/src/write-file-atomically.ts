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

/** How to write the file, and who may read it. */
export interface FileAccess {
  /** Suffix of the temporary file; default `.new`. */
  readonly temporarySuffix?: string;
  /**
   * Several processes may write the file at the same time: each uses its own temporary file, and the last
   * rename wins.
   */
  readonly hasOtherWriters?: boolean;
  /** Default: this process's user. */
  readonly owner?: FileOwner;
  /** Default 0600. */
  readonly mode?: number;
}

const privateMode = 0o600;
const directoryMode = 0o700;
const { O_CREAT, O_DIRECTORY, O_DSYNC, O_EXCL, O_RDONLY, O_RDWR, O_SYNC, O_WRONLY } = constants;

/**
 * Node's permission model disables fsync, fchown and fchmod in any case. O_SYNC and the calls that take a
 * path replace them there, except for the sync of the folder: after a crash of the machine the old file may
 * be back, but never a part of the new one.
 */
const hasHandleCalls = process.permission === undefined;
/** Flags for new files whose content survives a crash after `syncFile`. */
export const creationFlags = O_WRONLY | O_CREAT | O_EXCL | (hasHandleCalls ? 0 : O_SYNC);
/** The same for a file that is written and read, and that may exist. O_DSYNC takes half as long as O_SYNC, and leaves out the times only. */
export const continuationFlags = O_RDWR | O_CREAT | (hasHandleCalls ? 0 : O_DSYNC);

/**
 * Replaces `path` by a file with `text`, readable for its owner only, or as `access` says. A reader finds the
 * complete old or the complete new text, also after a crash. Missing folders are created. Only one process
 * may write the file at a time, unless `access` says otherwise.
 *
 * @throws Fault with the path; the old file is unchanged then.
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
    // A temporary file that a crash left is not reused, because it may have another owner or mode.
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

/** Makes an existing file survive a crash of the machine, as far as the permissions of this process allow. */
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
  // After both calls, so that a file that survives a crash has its owner and mode too.
  await file.sync();
}

/**
 * Only for folders that no other user can write, such as those of a node of containers: nobody can replace
 * the file by a link there.
 */
async function shareByPath(path: string, { owner, mode }: FileAccess): Promise<void> {
  if (owner !== undefined) await lchown(path, owner.uid, owner.gid);
  if (mode !== undefined) await chmod(path, mode);
}

/** Makes new and removed names survive a crash, as far as the permissions and the file system allow. */
export async function syncFolder(path: string): Promise<void> {
  if (!hasHandleCalls) return;
  await using folder = await open(path, O_RDONLY | O_DIRECTORY);
  await folder.sync().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EINVAL' && error.code !== 'ENOTSUP') throw error;
  });
}
