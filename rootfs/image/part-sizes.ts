import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import type { Entry } from './place-files.ts';

export interface PartSize {
  readonly part: string;
  readonly bytes: number;
  /** An estimate of its share of the compressed image. */
  readonly compressedBytes: number;
}

/**
 * The size of each part of the root, the largest first. A squashfs does not tell what a part takes of it, so its size is
 * divided in the proportions that a fast compression gives.
 */
export function partSizes(root: string, entries: readonly Entry[], imageBytes: number): PartSize[] {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const fast = ({ path, bytes }: Entry) => {
    const file = join(root, path);
    return lstatSync(file).isFile() ? zstdCompressSync(readFileSync(file)).length : bytes;
  };
  const sizes = [...Map.groupBy(entries, ({ part }) => part)].map(([part, files]) => ({
    part,
    bytes: sum(files.map(({ bytes }) => bytes)),
    fastBytes: sum(files.map(fast)),
  }));
  const scale = imageBytes / sum(sizes.map(({ fastBytes }) => fastBytes));
  return sizes
    .map(({ part, bytes, fastBytes }) => ({ part, bytes, compressedBytes: fastBytes * scale }))
    .toSorted((a, b) => b.bytes - a.bytes);
}
