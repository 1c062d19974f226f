import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readTalosconfig } from '@nodewright/client/talosconfig';
import { defaultHome, findProcessFrom, homesName, reasonToKeep } from './copy-users.ts';
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
  const reason = await reasonToKeep(data, home);
  if (reason !== undefined) {
    note(reason);
    return 0;
  }
  const names = await readdir(data).catch(() => []);
  for (const name of names) {
    const path = join(data, name);
    if (name !== homesName && !name.startsWith(draftPrefix) && !(await isCopy(path))) continue;
    const pid = name === homesName ? undefined : await findProcessFrom(path);
    if (pid === undefined) await rm(path, { recursive: true, force: true });
    else note(`${path} stays: process ${pid} runs from it`);
  }
  await removeTalosHome(defaultHome(data), note);
  // Anything else in the folder stays, and keeps it.
  await rmdir(data).catch(() => {});
  return 0;
}

const isCopy = (path: string) =>
  readManifest(path).then(
    () => true,
    () => false,
  );

async function removeTalosHome(home: string, note: (line: string) => void): Promise<void> {
  const { contexts } = await readTalosconfig(join(home, 'config'));
  if (contexts.size === 0) return rm(home, { recursive: true, force: true });
  note(`${join(home, 'config')} stays: it has the contexts ${[...contexts.keys()].join(', ')}`);
}
