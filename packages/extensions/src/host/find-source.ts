import { lstat, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { extensionLimits, showBytes } from '../domain/extension-limits.ts';
import { layoutFiles } from '../domain/layout-documents.ts';
import { refused } from '../domain/refused.ts';
import { type NamedSource, namedSource, type PathKind } from '../domain/source-name.ts';

/**
 * Finds out what a text names: a folder, a squashfs, an OCI layout as a folder or an archive, or an image of a registry.
 *
 * @param mostBytes of a file
 * @throws Fault `invalid-argument` for another kind of file or address, and for a larger file
 */
export const findSource = async (
  text: string,
  mostBytes = extensionLimits.packedBytes,
): Promise<NamedSource> => namedSource(text, await kindAt(text, mostBytes));

async function kindAt(path: string, mostBytes: number): Promise<PathKind> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) return 'none';
  if (stats.isDirectory()) {
    const marker = await lstat(join(path, layoutFiles.marker)).catch(() => undefined);
    return marker === undefined ? 'folder' : 'layout folder';
  }
  if (!stats.isFile()) return 'other';
  if (stats.size > mostBytes) throw refused(`is larger than ${showBytes(mostBytes)}`);
  await using file = await open(path, 'r');
  const { buffer } = await file.read(Buffer.alloc(512), 0, 512, 0);
  if (buffer.toString('latin1', 0, 4) === 'hsqs') return 'squashfs';
  return buffer.toString('latin1', 257, 262) === 'ustar' ? 'archive' : 'other';
}
