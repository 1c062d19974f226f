import { closeSync, lstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { join } from 'node:path';

/** What a comparison says of a file of either folder. */
export type Compared =
  | { readonly name: string; readonly kind: 'same'; readonly bytes: number }
  /** At this byte they differ first; the shorter one may end there. */
  | { readonly name: string; readonly kind: 'differs'; readonly at: number }
  | { readonly name: string; readonly kind: 'missing'; readonly from: 'first' | 'second' }
  /** A link or the like in one, and a file in the other. */
  | { readonly name: string; readonly kind: 'other kind' };

const chunkBytes = 1 << 20;

/**
 * Compares the files below two folders by their names and bytes, and links by their targets. Modes, owners and times of the files
 * are not compared, because who builds decides them.
 *
 * @returns a row for each file, in the order of their names
 */
export function compareFolders(first: string, second: string): Compared[] {
  const [inFirst, inSecond] = [namesBelow(first), namesBelow(second)];
  return [...inFirst.union(inSecond)].toSorted().map((name): Compared => {
    const [a, b] = [join(first, name), join(second, name)];
    if (!inFirst.has(name)) return { name, kind: 'missing', from: 'first' };
    if (!inSecond.has(name)) return { name, kind: 'missing', from: 'second' };
    const [left, right] = [lstatSync(a), lstatSync(b)];
    if (left.isSymbolicLink() && right.isSymbolicLink())
      return readlinkSync(a) === readlinkSync(b)
        ? { name, kind: 'same', bytes: 0 }
        : { name, kind: 'differs', at: 0 };
    if (!left.isFile() || !right.isFile()) return { name, kind: 'other kind' };
    const at = firstDifference(a, b);
    return at === undefined ? { name, kind: 'same', bytes: left.size } : { name, kind: 'differs', at };
  });
}

/** A line for people about a file that is not the same in both folders. */
export function describeDifference(compared: Exclude<Compared, { readonly kind: 'same' }>): string {
  const { name, kind } = compared;
  if (kind === 'differs') return `${name} differs from byte ${compared.at} on`;
  if (kind === 'missing') return `${name} is missing in the ${compared.from} build`;
  return `${name} is a file in one build, and something else in the other`;
}

/** Of everything but folders. */
function namesBelow(folder: string): Set<string> {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return new Set(
    entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)),
  );
}

/** The first byte in which two files of any size differ; `undefined` when they are the same. */
function firstDifference(first: string, second: string): number | undefined {
  const files = [openSync(first, 'r'), openSync(second, 'r')];
  const chunks = files.map(() => Buffer.alloc(chunkBytes));
  try {
    for (let at = 0; ; at += chunkBytes) {
      const [a = Buffer.alloc(0), b = Buffer.alloc(0)] = files.map((file, index) => {
        const chunk = chunks[index] ?? Buffer.alloc(0);
        return chunk.subarray(0, readFully(file, chunk, at));
      });
      if (!a.equals(b)) {
        const index = a.findIndex((byte, place) => byte !== b[place]);
        return at + (index === -1 ? a.length : index);
      }
      if (a.length < chunkBytes) return undefined;
    }
  } finally {
    for (const file of files) closeSync(file);
  }
}

/** A read may return less than there is. */
function readFully(file: number, into: Buffer, at: number): number {
  let length = 0;
  for (;;) {
    const bytes = readSync(file, into, length, into.length - length, at + length);
    length += bytes;
    if (bytes === 0 || length === into.length) return length;
  }
}
