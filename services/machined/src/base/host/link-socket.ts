import { rmSync, symlinkSync } from 'node:fs';
import { dirname, relative } from 'node:path';

/** Makes `link` a symbolic link to `target`. Relative, so that it holds inside a container and outside of it. The folder exists. */
export function linkSocket(link: string, target: string): Disposable {
  rmSync(link, { force: true });
  symlinkSync(relative(dirname(link), target), link);
  return { [Symbol.dispose]: () => rmSync(link, { force: true }) };
}
