import { readFileSync } from 'node:fs';
import type { ReadIfThere } from '../domain/read-if-there.ts';

/** Reads files of this host. They are read synchronously, because all of them are small. */
export const readIfThere: ReadIfThere = (path) => {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
};
