// What the copies of packages are needed for. All of a user's clusters run from the same copies, whatever TALOS_HOME they were
// started with.
import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { faultFrom } from '@nodewright/fault';
import { writeFileAtomically } from '@nodewright/files';
import { listClusters } from '@nodewright/provision';

/** The list of folders that were TALOS_HOME of an `up`, in the folder of all copies. */
export const homesName = 'homes.json';
/** The longest list. The folders that were used last are kept. */
const maxHomes = 1000;

/** The TALOS_HOME of `bin/nodewright` when the user has set none. */
export const defaultHome = (data: string) => join(data, 'talos');

/**
 * Adds a TALOS_HOME to the list, so that the removal of copies finds its clusters.
 *
 * @throws Error of one line when the list is damaged; Fault when it cannot be written
 */
export async function recordHome(data: string, home: string): Promise<void> {
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
 * Says in one line why the copies must stay, for clusters that run or could be started again; `undefined` when there is none. A
 * TALOS_HOME that does not exist has no clusters.
 *
 * @param home TALOS_HOME of this call
 * @throws Error of one line when the list of folders is damaged
 */
export async function reasonToKeep(data: string, home: string): Promise<string | undefined> {
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
