import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  type Stats,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';

/**
 * Copies folders over each other, the last one uppermost, into one that shows what an overlay of them would show. Links stay as
 * they are, and modes are kept.
 *
 * @param target an existing folder
 */
export function stackRoots(roots: readonly string[], target: string): void {
  for (const root of roots) addFolder(root, target);
}

function addFolder(from: string, to: string): void {
  for (const name of readdirSync(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    const above = lstatSync(source);
    const isFolder = above.isDirectory();
    const below: Stats | undefined = lstatSync(target, { throwIfNoEntry: false });
    // As in an overlay, only folders are merged: anything else hides what is below it.
    if (below !== undefined && !(isFolder && below.isDirectory())) rmSync(target, { recursive: true });
    if (isFolder) {
      mkdirSync(target, { recursive: true });
      addFolder(source, target);
    } else if (above.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else copyFileSync(source, target);
  }
}
