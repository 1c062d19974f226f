import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

// Every daemon calls this at its start, and `node:fs/promises` would load all of `node:readline`.
const mkdir = promisify(fs.mkdir);
const stat = promisify(fs.stat);

const errnoOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

/**
 * Creates a folder and its missing parents; an existing folder is accepted. Node's own recursive mkdir never
 * returns where the kernel permits no folders, such as below /proc; this function fails with the error of the
 * system.
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
    // Another process has created it in the meantime.
    if (errnoOf(error) !== 'EEXIST') throw error;
  });
}
