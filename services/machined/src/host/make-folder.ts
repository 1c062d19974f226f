import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { FileOwner } from './write-file-atomically.ts';

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
export function makeFolder({ path, mode, owner }: Folder): void {
  mkdirSync(dirname(path), { recursive: true });
  mkdirSync(path, { recursive: true, mode });
  chmodSync(path, mode);
  if (owner !== undefined) chownSync(path, owner.uid, owner.gid);
}
