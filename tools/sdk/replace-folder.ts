import { renameSync, rmSync } from 'node:fs';

const isTaken = (error: unknown) =>
  ['EEXIST', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '');
const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';

/**
 * Replaces `folder` by the finished folder `staging`. Readers see the complete old or the complete new
 * folder, even when other processes do the same; the last one wins.
 *
 * @param aside a free path on the same file system that only this process uses
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
      // Another process has just moved it away.
      if (!isMissing(error)) throw error;
    }
    rmSync(aside, { recursive: true, force: true });
  }
}
