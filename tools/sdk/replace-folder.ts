import { renameSync, rmSync } from 'node:fs';

const isTaken = (error: unknown) =>
  ['EEXIST', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '');
const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';

/**
 * Puts the finished folder `staging` in the place of `folder`, which is there as a whole before and after, whoever else
 * does the same meanwhile: the last one's stays.
 *
 * @param aside a free path on the same file system, of this process alone
 */
export function replaceFolder(staging: string, folder: string, aside: string): void {
  for (;;) {
    try {
      renameSync(staging, folder);
      return;
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
    try {
      renameSync(folder, aside);
    } catch (error) {
      // Another one has just taken it away.
      if (!isMissing(error)) throw error;
    }
    rmSync(aside, { recursive: true, force: true });
  }
}
