import { rmSync, symlinkSync } from 'node:fs';
import { dirname, relative } from 'node:path';

/**
 * Creates the symbolic link `link` to `target` in an existing folder, until the result is disposed. The link
 * is relative, so it is valid inside and outside a container.
 */
export function linkSocket(link: string, target: string): Disposable {
  rmSync(link, { force: true });
  symlinkSync(relative(dirname(link), target), link);
  return { [Symbol.dispose]: () => rmSync(link, { force: true }) };
}
