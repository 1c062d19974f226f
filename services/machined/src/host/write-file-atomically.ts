import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';

/** Who may read what a daemon is given. */
export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

const fileMode = 0o600;
const directoryMode = 0o700;

/**
 * Replaces `path` by a file with `text` and mode 0600: whoever reads it, and whoever reads it after a crash, finds the
 * old or the new text, never a part. The folder is made when it is missing. One writer at a time.
 *
 * @param owner who owns the file then; default this process's user.
 * @throws Fault with the path; the old file is still there.
 */
export async function writeFileAtomically(path: string, text: string, owner?: FileOwner): Promise<void> {
  const temporary = `${path}.new`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: directoryMode });
    // What a crash left is not reused: it may belong to someone else or have another mode.
    await rm(temporary, { force: true });
    {
      await using file = await open(temporary, 'wx', fileMode);
      await file.writeFile(text);
      if (owner !== undefined) await file.chown(owner.uid, owner.gid);
      await file.sync();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    const { kind, message } = faultFrom(error);
    throw new Fault(kind, `cannot write "${path}": ${message}`, { cause: error });
  }
}
