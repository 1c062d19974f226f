import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string>>;
}

/**
 * The compiler option `paths` with which it finds the packages of this project by their folders. When the
 * compiler finds them by their links in node_modules, it may take them for external packages and write no
 * declarations. It reads files in parallel, so which of the two happens differs from run to run
 * (microsoft/typescript-go issue 1570).
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
