import { constants } from 'node:fs';
import { chmod, open } from 'node:fs/promises';
import { Fault } from '@nodewright/fault';
import { shownPath } from '@nodewright/files';

/** Opens a file only as a place, which also works for a socket. Source: open(2). */
const O_PATH = 0o10000000;

/**
 * Sets the mode of a socket that this process has just made. Root may do so in the folder of a user, who could have put a link to
 * another file in its place, so the file is looked at first. A socket that was removed meanwhile is left to the caller's next step.
 *
 * @throws Fault `aborted` when it is no socket of this process's user; the error of the system, such as `ENOENT`
 */
export async function setSocketMode(path: string, mode: number): Promise<void> {
  await using handle = await open(path, O_PATH | constants.O_NOFOLLOW);
  const stats = await handle.stat();
  if (!stats.isSocket() || stats.uid !== (process.geteuid?.() ?? stats.uid) || stats.nlink > 1)
    throw new Fault('aborted', `${shownPath(path)} was replaced by another file`);
  await chmod(`/proc/self/fd/${handle.fd}`, mode);
}
