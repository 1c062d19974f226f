import { readFileSync } from 'node:fs';
import type { ReadIfThere, ReadOrReason } from '../domain/read-if-there.ts';

/** Reads files of this host. They are read synchronously, because all of them are small. */
export const readIfThere: ReadIfThere = (path) => {
  const content = readOrReason(path);
  return typeof content === 'string' ? undefined : content;
};

/** Like `readIfThere`, for decisions to which a file that cannot be read just now is not one that is missing. */
export const readOrReason: ReadOrReason = (path) => {
  try {
    return readFileSync(path);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'absent' : 'unreadable';
  }
};
