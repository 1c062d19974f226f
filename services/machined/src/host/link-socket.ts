import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, relative } from 'node:path';

/** Makes `link` a symbolic link to `target`. Relative, so that it holds inside a container and outside of it. */
export function linkSocket(link: string, target: string, directoryMode: number): Disposable {
  mkdirSync(dirname(link), { recursive: true, mode: directoryMode });
  rmSync(link, { force: true });
  symlinkSync(relative(dirname(link), target), link);
  return { [Symbol.dispose]: () => rmSync(link, { force: true }) };
}
