import { readFile } from 'node:fs/promises';
import { type FileAccess, writeFileAtomically } from '@nodewright/files';

/** Writes a file unless it has this text already, so that programs that watch it see only changes. */
export async function writeIfChanged(path: string, text: string, options: FileAccess): Promise<void> {
  const before = await readFile(path, 'utf8').catch(() => undefined);
  if (before !== text) await writeFileAtomically(path, text, options);
}
