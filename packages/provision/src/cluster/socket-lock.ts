import { randomBytes } from 'node:crypto';
import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@nodewright/fault';
import { openUnixPath, shownPath } from '@nodewright/files';
import { isLockEntry, type LockHost, type LockPlace, lockEntryName, mayBeAlive } from './lock-entry.ts';
import { readLockHost } from './lock-host.ts';
import { holdOwnerSocket, lookAtOwner, type OwnerLook, type OwnerSocket } from './owner-socket.ts';
import { setSocketMode } from './set-socket-mode.ts';

// A lock of one user. An abstract socket would be simpler, but everybody on the host may bind its name, and sees the name while it is
// held. So each process that wants the lock listens on a socket with a name of its own, in a folder that nobody else may write to, and
// then looks at the others: it holds the lock when no other one listens. Of two processes the one that began to listen last sees the
// other. A name is never used again, so the socket of a process that has ended can be removed by anybody. A shared file system may
// show the socket of another host, where nobody here listens: names tell hosts, and such a socket is left to people, at any age, as a
// supervisor runs for months.

/** What a process says that has not got the lock yet. */
const candidate = { isTaking: true };
/** How long to wait for processes that began at the same moment and give way to this one, and for those that do not answer. */
const patienceMs = 15_000;
/** After this time, no process is between two steps of taking the lock: it makes its draft, and listens there at once. */
const draftAgeMs = 10_000;
/** How often another process may remove what this one has just made, because it does not listen yet. */
const attempts = 5;
const pollMs = 10;
/** Errors of file systems that hold no sockets. */
const noSocketCodes: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Takes the lock until it is disposed of, or until this process ends for whatever reason. Resolves to `undefined` when another process
 * has it. The folder may have a path of any length.
 *
 * @throws Fault `failed-precondition` when others may write to the folder, its file system has no sockets, or nobody here can tell
 * whether the process of another lock runs; the error of the system with the code ENOENT when the folder does not exist or is removed
 * meanwhile
 */
export async function holdSocketLock(
  place: LockPlace,
  describeOwner: () => object,
  host?: LockHost,
): Promise<OwnerSocket | undefined> {
  const here = host ?? (await readLockHost());
  for (let attempt = 1; ; attempt++) {
    const mode = socketModeIn(await requireOwnFolder(place.folder));
    try {
      return await takeLock(place, mode, describeOwner, here);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === attempts) throw error;
    }
  }
}

async function takeLock(
  place: LockPlace,
  mode: number,
  describeOwner: () => object,
  host: LockHost,
): Promise<OwnerSocket | undefined> {
  const id = randomBytes(8).toString('hex');
  const own = lockEntryName(place, host, `${id}.sock`);
  const path = join(place.folder, own);
  const draft = join(place.folder, lockEntryName(place, host, `${id}.draft`));
  let isHeld = false;
  const socket = await listenAt(draft, () => (isHeld ? describeOwner() : candidate));
  if (socket === undefined) return undefined;
  const release = async () => {
    // A folder may have been moved or become unreadable. The next process sees that nobody listens.
    await rm(path, { force: true }).catch(() => {});
    await socket[Symbol.asyncDispose]();
  };
  try {
    await setSocketMode(draft, mode);
    // Under its final name it listens from the first moment on, because another process that finds it silent may remove it.
    await rename(draft, path);
    isHeld = await isOnlyOne(place, own, host);
  } catch (error) {
    await release();
    throw error;
  }
  if (isHeld) return { [Symbol.asyncDispose]: release };
  await release();
  return undefined;
}

/** What the process that holds the lock says of itself; `undefined` when none does, or it does not answer. */
export async function askLockOwner(place: LockPlace): Promise<unknown> {
  const entries = await readdir(place.folder).catch(() => []);
  for (const entry of entries.filter((entry) => isLockEntry(place, entry) && entry.endsWith('.sock'))) {
    const { owner } = await lookAt(join(place.folder, entry));
    if (owner !== undefined && !isCandidate(owner)) return owner;
  }
  return undefined;
}

async function isOnlyOne(place: LockPlace, own: string, host: LockHost): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    let hasOthers = false;
    for (const entry of await readdir(place.folder)) {
      if (entry === own || !isLockEntry(place, entry)) continue;
      const path = join(place.folder, entry);
      if (entry.endsWith('.draft')) {
        // Its process looks for others itself when it has its final name.
        await removeOldDraft(path);
        continue;
      }
      const { code, owner } = await lookAt(path);
      if (code === 'ENOENT') continue;
      if (code === 'ECONNREFUSED') {
        if (mayBeAlive(entry, host)) throw foreignLock(path);
        await rm(path, { force: true });
        continue;
      }
      if (code === 'EACCES') throw unseenLock(path);
      // Of those that began at the same moment, the first by name gets it.
      if (isCandidate(owner) ? entry < own : owner !== undefined) return false;
      // One without an answer may be about to give way, or be slow.
      hasOthers = true;
    }
    if (!hasOthers) return true;
    if (performance.now() > deadline) return false;
    await sleep(pollMs);
  }
}

/** A process that was killed leaves it. A young one may be about to listen. */
async function removeOldDraft(path: string): Promise<void> {
  const { mtimeMs } = await lstat(path).catch(orMissing);
  if (Date.now() - mtimeMs < draftAgeMs) return;
  const { code } = await lookAt(path);
  if (code === 'ECONNREFUSED') await rm(path, { force: true });
}

function orMissing(error: NodeJS.ErrnoException) {
  if (error.code !== 'ENOENT') throw error;
  return { mtimeMs: Number.POSITIVE_INFINITY };
}

/**
 * A lock of root in the folder of a user outlives its command when that is killed, and the user can only tell by connecting to it. The
 * folder keeps all others out, unless they may look into it.
 */
const socketModeIn = (folderMode: number) => ((folderMode & 0o077) === 0 ? 0o666 : 0o600);

function unseenLock(path: string): Fault {
  const text = `${shownPath(path)} belongs to another user, so nobody can see whether its process still runs: end that process, or remove the file`;
  return new Fault('failed-precondition', text);
}

function foreignLock(path: string): Fault {
  const text = `${shownPath(path)} is the lock of a process of another host, which cannot be asked from here: end that process, or remove the file if it has ended`;
  return new Fault('failed-precondition', text);
}

const isCandidate = (owner: unknown) =>
  typeof owner === 'object' && owner !== null && 'isTaking' in owner && owner.isTaking === true;

async function lookAt(path: string): Promise<OwnerLook> {
  try {
    using short = openUnixPath(path);
    return await lookAtOwner({ path: short.path });
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code ?? '', owner: undefined };
  }
}

async function listenAt(path: string, describeOwner: () => object): Promise<OwnerSocket | undefined> {
  using short = openUnixPath(path);
  try {
    return await holdOwnerSocket({ path: short.path }, describeOwner);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!noSocketCodes.has(code)) throw error;
    throw new Fault(
      'failed-precondition',
      `${shownPath(path)} cannot be made (${code}): keep clusters on a file system that holds unix sockets`,
      { cause: error },
    );
  }
}

/** A folder that others may write to is no place for a lock: they could keep it for ever. Resolves to its mode. */
async function requireOwnFolder(folder: string): Promise<number> {
  const { uid, mode } = await lstat(folder);
  const user = process.geteuid?.() ?? uid;
  const isOurs = uid === user || user === 0;
  if (isOurs && (mode & 0o022) === 0) return mode;
  throw new Fault(
    'failed-precondition',
    isOurs
      ? `other users may write to ${shownPath(folder)}: run chmod 0700 on it first`
      : `${shownPath(folder)} belongs to the user with the id ${uid}: keep clusters in a folder of your own`,
  );
}
