import { randomBytes } from 'node:crypto';
import { link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, faultFrom } from '@nodewright/fault';
import { shownPath } from './shown-path.ts';

const pollMs = 20;
const patienceMs = 5000;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // With EPERM, the process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Removes the lock of a dead process. It compares the inode, because another process may have replaced the
 * file.
 */
async function breakStaleLock(path: string): Promise<void> {
  const before = await stat(path).catch(() => undefined);
  const owner = Number.parseInt(await readFile(path, 'utf8').catch(() => ''), 10);
  if (before === undefined || Number.isNaN(owner) || isAlive(owner)) return;
  const now = await stat(path).catch(() => undefined);
  if (now?.ino === before.ino) await rm(path, { force: true });
}

/**
 * Holds `path` as a lock between processes of one machine until it is disposed of. The file contains the pid
 * of its owner and is created with its content in one step, so it is never empty; the lock of a dead process
 * is taken over.
 *
 * @param program the one that makes such locks, for the message about a lock that does not end
 * @throws Fault `unavailable` when a living process holds it for five seconds; another kind, with the path,
 * when the file cannot be written
 */
export async function lockFile(path: string, program = 'talosctl'): Promise<AsyncDisposable> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, `${process.pid}\n`, { mode: 0o600, flag: 'wx' });
    const deadline = performance.now() + patienceMs;
    for (;;) {
      try {
        await placeLock(draft, path);
        return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      await breakStaleLock(path);
      if (performance.now() > deadline) {
        const owner = (await readFile(path, 'utf8').catch(() => '')).trim();
        throw new Fault(
          'unavailable',
          // An empty file is the lock of kubectl.
          owner === ''
            ? `${shownPath(path)} is locked, by kubectl perhaps: delete the file if no kubectl runs`
            : `${shownPath(path)} is locked by process ${owner}: delete the file if that process is not ${program}`,
        );
      }
      await sleep(pollMs);
    }
  } catch (error) {
    if (error instanceof Fault) throw error;
    const { kind, message } = faultFrom(error);
    throw new Fault(kind, `${shownPath(path)} cannot be written: ${message}`, { cause: error });
  } finally {
    await rm(draft, { force: true });
  }
}

/** Codes of file systems without hard links, such as exFAT. */
const noLinkCodes: ReadonlySet<string | undefined> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
]);

/** Puts the draft in the place of the lock, unless one is there. Rejects with EEXIST then. */
async function placeLock(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if (!noLinkCodes.has((error as NodeJS.ErrnoException).code)) throw error;
    // Without links another process may see the file before it has a pid, and wait.
    await writeFile(path, `${process.pid}\n`, { mode: 0o600, flag: 'wx' });
  }
}
