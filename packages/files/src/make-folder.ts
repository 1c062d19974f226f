import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

const errnoOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

/**
 * Makes a folder and the folders above it that are missing; one that is there already is fine. Node's own recursive
 * mkdir never returns where the kernel makes no folders, such as below /proc: this one fails with the system's error.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(path, { mode });
    return;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (errnoOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
  }
  await makeFolder(dirname(path), mode);
  await mkdir(path, { mode }).catch((error: unknown) => {
    // Another process was quicker.
    if (errnoOf(error) !== 'EEXIST') throw error;
  });
}
