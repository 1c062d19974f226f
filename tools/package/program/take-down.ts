import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readTalosconfig } from '@nodewright/client/talosconfig';
import { listClusters } from '@nodewright/provision';
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
 * Ends a cluster. After the last one it removes the copies of packages as well, and the talosconfig unless contexts of other
 * clusters were added to it.
 *
 * @returns the exit code
 */
export async function takeDown({ data, name, source, note, ...init }: TakeDownInit): Promise<number> {
  const words = ['cluster', 'destroy', '--name', name, '--force', '--if-present', '--yes'];
  const code = await runTalosctl(words, { folder: source, ...init });
  if (code !== 0) return code;
  const home = init.environment.TALOS_HOME ?? '';
  const left = await listClusters(join(home, 'clusters'));
  if (left.length > 0) {
    note(`the programs in ${data} stay for the cluster ${left.join(', ')}`);
    return 0;
  }
  const names = await readdir(data).catch(() => []);
  for (const name of names) {
    const path = join(data, name);
    const isOurs = name.startsWith(draftPrefix) || (await isCopy(path));
    if (isOurs) await rm(path, { recursive: true, force: true });
  }
  if (home === join(data, 'talos')) await removeTalosHome(home, note);
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
