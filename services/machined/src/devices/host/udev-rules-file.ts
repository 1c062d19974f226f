import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder, writeFileAtomically } from '@nodewright/files';

const mode = 0o644;

/**
 * Writes the rules file of udevd if its text differs. An empty text creates no file, and empties one that exists.
 *
 * @returns whether the rules are others than before
 */
export async function writeUdevRules(path: string, text: string): Promise<boolean> {
  if ((await textOf(path)) === text) return false;
  await makeFolder(dirname(path));
  await writeFileAtomically(path, text, { mode });
  return true;
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
