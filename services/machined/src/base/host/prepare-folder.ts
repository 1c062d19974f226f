import { chmod, chown } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FileOwner } from '@nodewright/files';
import { makeFolder } from '@nodewright/files';

export interface Folder {
  readonly path: string;
  readonly mode: number;
  /** Default: this process's user. */
  readonly owner?: FileOwner;
}

/**
 * Makes a folder and gives it its mode and owner, whatever they were before. Folders above it that are missing are made
 * for everybody to pass through.
 */
export async function prepareFolder({ path, mode, owner }: Folder): Promise<void> {
  await makeFolder(dirname(path));
  await makeFolder(path, mode);
  await chmod(path, mode);
  if (owner !== undefined) await chown(path, owner.uid, owner.gid);
}
