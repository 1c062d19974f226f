import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readTalosconfig } from '@nodewright/client/talosconfig';
import { defaultHome, findProcessFrom, homesName, lockCopies, reasonToKeep } from './copy-users.ts';
import { draftPrefix } from './install-copy.ts';
import { readManifest } from './package-manifest.ts';
import { runTalosctl } from './run-talosctl.ts';

export interface TakeDownInit {
  readonly source: string;
  readonly data: string;
  readonly name: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly note: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Ends a cluster. After the last one of any TALOS_HOME it removes the copies of packages as well, and the talosconfig beside them
 * unless contexts of other clusters were added to it.
 *
 * @returns the exit code
 */
export async function takeDown({ data, name, source, note, ...init }: TakeDownInit): Promise<number> {
  const words = ['cluster', 'destroy', '--name', name, '--force', '--if-present', '--yes'];
  const code = await runTalosctl(words, { folder: source, ...init });
  if (code !== 0) return code;
  const home = init.environment.TALOS_HOME ?? '';
  if (await removeCopies(data, home, note)) {
    // Anything else in the folder stays, and keeps it.
    await rmdir(data).catch(() => {});
  }
  return 0;
}

/** Removes the copies, and the talosconfig beside them, unless they are used. Returns whether the folder may be empty now. */
async function removeCopies(data: string, home: string, note: (line: string) => void): Promise<boolean> {
  await using lock = await lockCopies(data);
  if (lock === undefined) return false;
  const reason = await reasonToKeep(data, home);
  if (reason !== undefined) {
    note(reason);
    return false;
  }
  for (const name of await readdir(data)) {
    const path = join(data, name);
    if (name !== homesName && !name.startsWith(draftPrefix) && !(await isCopy(path))) continue;
    const pid = name === homesName ? undefined : await findProcessFrom(path);
    if (pid === undefined) await rm(path, { recursive: true, force: true });
    else note(`${path} stays: process ${pid} runs from it`);
  }
  await removeTalosHome(defaultHome(data), note);
  return true;
}

const isCopy = (path: string) =>
  readManifest(path).then(
    () => true,
    () => false,
  );

/** Removes the files beside the clusters. What another command has in the folder of clusters stays, and keeps all of it. */
async function removeTalosHome(home: string, note: (line: string) => void): Promise<void> {
  const { contexts } = await readTalosconfig(join(home, 'config'));
  if (contexts.size > 0) {
    note(`${join(home, 'config')} stays: it has the contexts ${[...contexts.keys()].join(', ')}`);
    return;
  }
  try {
    await rmdir(join(home, 'clusters'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return;
  }
  const names = await readdir(home).catch(() => []);
  // A command may have made the folder of clusters again.
  const others = names.filter((name) => name !== 'clusters');
  for (const name of others) await rm(join(home, name), { recursive: true, force: true });
  await rmdir(home).catch(() => {});
}
