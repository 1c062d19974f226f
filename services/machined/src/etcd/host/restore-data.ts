import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '@nodewright/files';

/**
 * Creates a data directory next to the empty one and renames its content into place. An interruption leaves
 * the data directory empty or complete.
 *
 * @param make creates a data directory at the given path, which does not exist yet
 */
export async function restoreData(data: string, make: (draft: string) => Promise<unknown>): Promise<void> {
  const draft = `${data}.restore`;
  await rm(draft, { recursive: true, force: true });
  await makeFolder(dirname(draft));
  try {
    await make(draft);
    await makeFolder(data, 0o700);
    // The rename is atomic: before it the directory is empty, after it the data is complete.
    await rename(join(draft, 'member'), join(data, 'member'));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
