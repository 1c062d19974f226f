import { posix } from 'node:path';
import { Fault } from '@nodewright/fault';
import { bytesFromText } from './byte-text.ts';

/** As the kernel: more links than this on one path are a loop. */
const maxLinks = 40;
/** As the kernel. */
const maxPathBytes = 4095;

/**
 * A path of a request as bytes.
 *
 * @throws Fault when it can be no path.
 */
export function pathFromRequest(text: string): string {
  if (text.includes('\0')) {
    throw new Fault('invalid-argument', `path ${JSON.stringify(text)} has a NUL byte in it`);
  }
  const bytes = bytesFromText(text);
  if (bytes.length > maxPathBytes) {
    throw new Fault(
      'unknown',
      `a path of ${bytes.length} bytes, more than ${maxPathBytes}: file name too long`,
    );
  }
  return bytes;
}

/** Without `.`, `..`, double slashes and a slash at its end; the empty path is `.`. */
export function cleanPath(path: string): string {
  const normal = posix.normalize(path);
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

/** The path of `name` in `folder`, which is clean. */
export function joinPath(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

/** How a file is called in a listing of `root`: `.` for a root that is a folder. Both paths are clean. */
export function relativePath(root: string, path: string): string {
  return path === root ? '.' : path.slice(root === '/' ? 1 : root.length + 1);
}

/**
 * Follows every symbolic link of an absolute path and gives the path without them. Nothing leads out of the root: a
 * link to an absolute path starts there again, and `..` stops there, as in a container (openat2's RESOLVE_IN_ROOT).
 *
 * @param readLink the target of the link at this path, undefined when it is no link; throws when nothing is there
 * @param tooMany made and thrown when the links go round in circles
 */
export async function resolvePath(
  path: string,
  readLink: (path: string) => Promise<string | undefined>,
  tooMany: () => Error,
): Promise<string> {
  const left = path.split('/').reverse();
  let done = '/';
  let links = 0;
  while (left.length > 0) {
    const name = left.pop() as string;
    if (name === '' || name === '.') continue;
    if (name === '..') {
      done = posix.dirname(done);
      continue;
    }
    const next = joinPath(done, name);
    const target = await readLink(next);
    if (target === undefined) {
      done = next;
      continue;
    }
    links += 1;
    if (links > maxLinks) throw tooMany();
    if (target.startsWith('/')) done = '/';
    left.push(...target.split('/').reverse());
  }
  return done;
}
