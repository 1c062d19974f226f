import { lchown, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type FileOwner, makeFolder } from '@nodewright/files';

export interface RestoredFolder {
  readonly data: string;
  /** Gets the restored files. Default: who made them. */
  readonly owner?: FileOwner;
}

/**
 * Creates a data directory next to the empty one and renames its content into place. An interruption leaves
 * the data directory empty or complete.
 *
 * @param make creates a data directory at the given path, which does not exist yet
 */
export async function restoreData(
  { data, owner }: RestoredFolder,
  make: (draft: string) => Promise<unknown>,
): Promise<void> {
  const draft = `${data}.restore`;
  await rm(draft, { recursive: true, force: true });
  await makeFolder(dirname(draft));
  try {
    await make(draft);
    if (owner !== undefined) await giveTo(owner, draft);
    await makeFolder(data, 0o700);
    // The rename is atomic: before it the directory is empty, after it the data is complete.
    await rename(join(draft, 'member'), join(data, 'member'));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function giveTo({ uid, gid }: FileOwner, folder: string): Promise<void> {
  await lchown(folder, uid, gid);
  for (const name of await readdir(folder, { recursive: true })) await lchown(join(folder, name), uid, gid);
}
