import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '@nodewright/fault';

/**
 * Returns the paths of programs in a folder of bundles: `<folder>/<name>/<name>.cjs`. Throws a Fault
 * `failed-precondition` that names the missing bundles and the command that builds them.
 */
export function findBundles<Name extends string>(
  distFolder: string,
  names: readonly Name[],
): Record<Name, string> {
  const paths = names.map((name) => [name, join(distFolder, name, `${name}.cjs`)] as const);
  const missing = paths.map(([, path]) => path).filter((path) => !existsSync(path));
  if (missing.length > 0) {
    throw new Fault('failed-precondition', `not built: ${missing.join(', ')} (build with: make build)`);
  }
  return Object.fromEntries(paths) as Record<Name, string>;
}
