import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string>>;
}

/**
 * What the compiler option `paths` must say for it to find the packages of this house by their folders. Found by their
 * links in node_modules they may count as packages of others, whose declarations the compiler leaves out: it reads files
 * in parallel, and which way it came first differs from run to run (microsoft/typescript-go issue 1570).
 */
export function packagePaths(checkout: string): Readonly<Record<string, readonly string[]>> {
  const manifests = globSync('packages/*/package.json', { cwd: checkout }).sort();
  return Object.fromEntries(
    manifests.flatMap((path) => {
      const { name, exports = {} } = JSON.parse(readFileSync(join(checkout, path), 'utf8')) as Manifest;
      return Object.entries(exports).map(([door, file]) => [
        join(name, door),
        [join(checkout, path, '..', file)],
      ]);
    }),
  );
}
