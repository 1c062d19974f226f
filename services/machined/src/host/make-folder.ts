import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { FileOwner } from './write-file-atomically.ts';

/** Makes a folder, and those above it that are missing. With an owner it is private to them, whatever it was before. */
export function makeFolder(path: string, owner?: FileOwner): void {
  mkdirSync(dirname(path), { recursive: true });
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (owner === undefined) return;
  chownSync(path, owner.uid, owner.gid);
  chmodSync(path, 0o700);
}
