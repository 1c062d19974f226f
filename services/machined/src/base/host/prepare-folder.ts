import { chmod, chown } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FileOwner } from '@nodewright/files';
import { makeFolder } from '@nodewright/files';

export interface Folder {
  readonly path: string;
  readonly mode: number;
  /** Default: the user of this process. */
  readonly owner?: FileOwner;
}

/**
 * Creates a folder, or takes an existing one, and sets its mode and owner. Missing parent folders are created
 * so that every user can pass through them.
 */
export async function prepareFolder({ path, mode, owner }: Folder): Promise<void> {
  await makeFolder(dirname(path));
  await makeFolder(path, mode);
  await chmod(path, mode);
  if (owner !== undefined) await chown(path, owner.uid, owner.gid);
}
