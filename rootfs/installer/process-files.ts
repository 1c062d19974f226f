import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathsBelow } from '../image/place-files.ts';

/** The bundles that a node of processes starts. */
export const processBundles = [
  'machined',
  'apid',
  'trustd',
  'registryd',
  'udevd-bridge',
  'process-supervisor',
];

/**
 * The bundles of nodes of processes, by their paths in the artefact.
 *
 * @param folder of the bundles
 * @throws Error with one line that says what to do when one is missing
 */
export function bundleFiles(folder: string): Readonly<Record<string, Buffer>> {
  const files = processBundles.flatMap((name) => {
    const bundle = join(folder, name);
    if (!existsSync(bundle)) throw new Error(`${name} is not built: run make build`);
    return pathsBelow(bundle)
      .filter((path) => statSync(join(bundle, path)).isFile())
      .map((path) => [`process/bundles/${name}/${path}`, readFileSync(join(bundle, path))] as const);
  });
  return Object.fromEntries(files);
}

/** Programs of nodes of processes. @param paths of each program, by its name @param folder in the artefact */
export const programFiles = (
  folder: 'etcd' | 'kubernetes',
  paths: Readonly<Record<string, string>>,
): Readonly<Record<string, Buffer>> =>
  Object.fromEntries(
    Object.entries(paths).map(([name, path]) => [`process/${folder}/${name}`, readFileSync(path)]),
  );
