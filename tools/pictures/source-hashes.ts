import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PictureEntry } from './picture-list.ts';

/** Beside the pictures: for each the hash of its sources at the time when it was made. */
export const hashesFile = 'docs/pictures/sources.json';

export type SourceHashes = Readonly<Record<string, string>>;

/** The hash of the files that a picture shows. Throws when a glob of it finds none. */
export function hashSources(checkout: string, { sources }: Pick<PictureEntry, 'sources'>): string {
  const hash = createHash('sha256');
  for (const pattern of sources) {
    const paths = globSync(pattern, { cwd: checkout }).sort();
    if (paths.length === 0) throw new Error(`no file of a picture matches ${pattern}`);
    for (const path of paths)
      hash
        .update(`${path}\0`)
        .update(readFileSync(join(checkout, path)))
        .update('\0');
  }
  return hash.digest('hex');
}

export function readHashes(checkout: string): SourceHashes {
  return JSON.parse(readFileSync(join(checkout, hashesFile), 'utf8')) as SourceHashes;
}
