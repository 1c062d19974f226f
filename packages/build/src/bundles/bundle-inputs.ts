import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Metafile } from 'esbuild';

/** The files that a bundle was made of, below the checkout. They are beside the bundles, so that no image has them. */
export const inputsPath = (bundle: string) => join('_out', 'inputs', `${bundle}.json`);

/**
 * The files of which outputs have a part, by their paths. Files that the build itself makes up are left out: those of name spaces,
 * and those in `madeUp`.
 */
export function filesOf({ outputs }: Metafile, madeUp: readonly string[] = []): string[] {
  const found = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  return [...new Set(found)].filter((path) => !/^[a-z][a-z-]+:/.test(path) && !madeUp.includes(path));
}

export function writeInputs(checkout: string, bundle: string, files: Iterable<string>): void {
  const path = join(checkout, inputsPath(bundle));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify([...new Set(files)].toSorted(), undefined, 1)}\n`);
}

/** @throws Error that says what to do, when the bundle was not built */
export function readInputs(checkout: string, bundle: string): string[] {
  const path = join(checkout, inputsPath(bundle));
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as string[];
  } catch {
    throw new Error(`${path} cannot be read: run make build`);
  }
}
