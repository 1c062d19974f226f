import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '@nodewright/files';

/**
 * Has the data directory, which is empty, made elsewhere beside it, and puts it in its place: interrupted at any point it
 * leaves the directory empty or whole.
 *
 * @param make makes a data directory at the path that it is given, where nothing is
 */
export async function restoreData(data: string, make: (draft: string) => Promise<unknown>): Promise<void> {
  const draft = `${data}.restore`;
  await rm(draft, { recursive: true, force: true });
  await makeFolder(dirname(draft));
  try {
    await make(draft);
    await makeFolder(data, 0o700);
    // One step: until here the directory is empty, from here on the data is whole.
    await rename(join(draft, 'member'), join(data, 'member'));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
