import { readFileSync } from 'node:fs';
import type { ReadIfThere } from '../domain/read-if-there.ts';

/** Reads the files of this host, all of them small. */
export const readIfThere: ReadIfThere = (path) => {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
};
