import { readFile, writeFile } from 'node:fs/promises';

/** Replaces the only occurrence of `before` in the file. Throws when there is none, or more than one. */
export async function editFile(path: string, before: string, after: string): Promise<void> {
  const parts = (await readFile(path, 'utf8')).split(before);
  if (parts.length !== 2) throw new Error(`${path} has ${parts.length - 1} places that read ${before}`);
  await writeFile(path, parts.join(after));
}
