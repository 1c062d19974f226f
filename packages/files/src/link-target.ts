import { readlink, realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Fault } from '@nodewright/fault';

/** As many as Linux follows. */
const maxLinks = 40;

/**
 * The file that a path leads to, at the end of its symbolic links. It need not exist. A file is replaced there, because renaming a
 * new one to the path itself would remove the link.
 *
 * @throws Fault `failed-precondition` for links that lead to each other
 */
export async function linkTarget(path: string): Promise<string> {
  let target = path;
  for (let links = 0; links <= maxLinks; links += 1) {
    const next = await readlink(target).catch((error: NodeJS.ErrnoException) => {
      // No link, or nothing at all.
      if (error.code === 'EINVAL' || error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (next === undefined) return target;
    // The folder of a link may be a link itself, which `..` must not cut off.
    const folder = await realpath(dirname(target));
    target = resolve(folder, next);
  }
  throw new Fault('failed-precondition', `${path} leads through more than ${maxLinks} symbolic links`);
}
