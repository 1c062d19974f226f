// What the copies of packages are needed for. All of a user's clusters run from the same copies, whatever TALOS_HOME they were
// started with.
import { randomBytes } from 'node:crypto';
import { readdir, readFile, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { faultFrom } from '@nodewright/fault';
import { lockFile, writeFileAtomically } from '@nodewright/files';
import { listClusters } from '@nodewright/provision';
import { makeDataFolder, plainError } from './install-copy.ts';

/** The list of folders that were TALOS_HOME of an `up`, in the folder of all copies. */
export const homesName = 'homes.json';
/** The longest list. The folders that were used last are kept. */
const maxHomes = 1000;

/** The TALOS_HOME of `bin/nodewright` when the user has set none. */
export const defaultHome = (data: string) => join(data, 'talos');

const lockName = '.lock';
/** Files of this name and a pid say that an `up` uses the copies, and has perhaps no cluster yet. */
const usePrefix = '.up-';
/** How often a `down` may remove the folder, because it was empty, before an `up` has its lock in it. */
const attempts = 20;

/**
 * Declares that this process uses the copies, until the result is disposed of: `down` removes none meanwhile. Waits for one that
 * removes them now, up to five seconds. A short lock and a file per `up` let several of them run at once.
 *
 * @param home TALOS_HOME of this call, whose clusters keep the copies later
 * @throws Error of one line that says what to do
 */
export async function useCopies(data: string, home: string): Promise<AsyncDisposable> {
  await using _lock = await lockNewCopies(data);
  await recordHome(data, home);
  const path = join(data, `${usePrefix}${process.pid}-${randomBytes(6).toString('hex')}`);
  await writeFile(path, '', { mode: 0o600, flag: 'wx' });
  return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
}

async function lockNewCopies(data: string): Promise<AsyncDisposable> {
  try {
    for (let attempt = 1; attempt < attempts; attempt++) {
      await makeDataFolder(data);
      const lock = await lockCopies(data);
      if (lock !== undefined) return lock;
    }
  } catch (error) {
    throw plainError(error, data);
  }
  throw new Error(`${data} is removed again and again by other processes: try again when they have ended`);
}

/**
 * Holds the lock of the copies, which each `up` takes before it uses them. `undefined` when their folder does not exist.
 *
 * @throws Error of one line when another process holds it for five seconds; the error of the system
 */
export async function lockCopies(data: string): Promise<AsyncDisposable | undefined> {
  try {
    return await lockFile(join(data, lockName), 'nodewright');
  } catch (error) {
    const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
    if (cause?.code === 'ENOENT') return undefined;
    throw cause ?? error;
  }
}

/** Returns the pid of a process that uses the copies; removes what was left by those that were killed. */
async function findUse(data: string): Promise<number | undefined> {
  for (const name of await readdir(data)) {
    const pid = Number(/^\.up-(\d+)-/.exec(name)?.[1]);
    if (Number.isNaN(pid)) continue;
    if (isAlive(pid)) return pid;
    await rm(join(data, name), { force: true });
  }
  return undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // With EPERM, the process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Adds a TALOS_HOME to the list, so that the removal of copies finds its clusters. */
async function recordHome(data: string, home: string): Promise<void> {
  if (home === defaultHome(data)) return;
  const others = (await readHomes(data)).filter((other) => other !== home);
  const homes = [...others, home].slice(-maxHomes);
  await writeFileAtomically(join(data, homesName), `${JSON.stringify(homes)}\n`, { hasOtherWriters: true });
}

async function readHomes(data: string): Promise<readonly string[]> {
  const path = join(data, homesName);
  try {
    const homes: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (Array.isArray(homes) && homes.every((home) => typeof home === 'string')) return homes;
  } catch (error) {
    if (faultFrom(error).kind === 'not-found') return [];
  }
  throw new Error(
    `${path} cannot be read: delete it when no cluster outside ${defaultHome(data)} is left, and try again`,
  );
}

/**
 * Says in one line why the copies must stay: for a cluster that is being started, runs or could be started again; `undefined` when there
 * is none. A TALOS_HOME that does not exist has no clusters. The lock must be held.
 *
 * @param home TALOS_HOME of this call
 * @throws Error of one line when the list of folders is damaged
 */
export async function reasonToKeep(data: string, home: string): Promise<string | undefined> {
  const pid = await findUse(data);
  if (pid !== undefined)
    return `the programs in ${data} stay: process ${pid} is starting a cluster from them`;
  const homes = new Set([home, defaultHome(data), ...(await readHomes(data))]);
  for (const each of homes) {
    try {
      const left = await listClusters(join(each, 'clusters'));
      if (left.length === 0) continue;
      const place = each === home ? '' : ` in ${each}`;
      return `the programs in ${data} stay for the cluster ${left.join(', ')}${place}`;
    } catch (error) {
      return `the programs in ${data} stay: the clusters in ${each} cannot be read: ${faultFrom(error).message}`;
    }
  }
  return undefined;
}

/**
 * The pid of a process, other than this one, that runs a program below a folder: a cluster in a folder of its own (`--state`), or
 * talosctl on another terminal. Processes of other users are not seen.
 */
export async function findProcessFrom(folder: string): Promise<number | undefined> {
  const below = `${await realpath(folder)}/`;
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const program = await readlink(`/proc/${name}/exe`).catch(() => '');
    if (program.startsWith(below)) return Number(name);
  }
  return undefined;
}
