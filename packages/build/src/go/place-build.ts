import { renameSync } from 'node:fs';

/**
 * Gives a finished build its name. A build of the same inputs, by another process, may have the name already: it stays, because
 * its files may be in use.
 */
export function placeBuild(draft: string, path: string): void {
  try {
    renameSync(draft, path);
  } catch (error) {
    // A folder does not take the place of another one that has files.
    if (!['EEXIST', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
