import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { TarItem } from '@nodewright/build/archives';

/** Files, folders and links of a folder as items of a layer, sorted by their paths. */
export function folderItems(root: string, paths: readonly string[]): TarItem[] {
  return paths
    .map((name): TarItem => {
      const path = join(root, name);
      const stats = lstatSync(path);
      if (stats.isSymbolicLink())
        return { name, mode: 0o777, content: { kind: 'link', target: readlinkSync(path) } };
      const mode = stats.mode & 0o777;
      if (stats.isDirectory()) return { name, mode, content: { kind: 'folder' } };
      return { name, mode, content: { kind: 'file', data: [readFileSync(path)] } };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
