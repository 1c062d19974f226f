import { lstat, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DistributionClient, ImageReference, Platform } from '@nodewright/oci';
import { extensionLimits, showBytes } from '../domain/extension-limits.ts';
import { layoutFiles } from '../domain/layout-documents.ts';
import { refused } from '../domain/refused.ts';
import { type NamedSource, namedSource, type PathKind } from '../domain/source-name.ts';
import type { ExtensionSource, SquashfsTools } from './extension-source.ts';
import { folderSource } from './folder-source.ts';
import { imageSource } from './image-source.ts';
import { layoutArchive } from './layout-archive.ts';
import { layoutFolder } from './layout-folder.ts';
import { registryContent } from './registry-content.ts';
import { squashfsSource } from './squashfs-source.ts';

export interface OpenSourceInit {
  readonly tools: SquashfsTools;
  readonly registry: DistributionClient;
  /** Of the machines that get the extension. */
  readonly platform: Platform;
  /** An existing folder for what has to be fetched or unpacked. */
  readonly work: string;
}

/**
 * Finds out what a text names: a folder, a squashfs, an OCI layout as a folder or an archive, or an image of a registry.
 *
 * @throws Fault `invalid-argument` when it is none of these
 */
export const findSource = async (text: string): Promise<NamedSource> => namedSource(text, await kindAt(text));

export function openSource(named: NamedSource, init: OpenSourceInit): ExtensionSource {
  const { tools, platform, work } = init;
  switch (named.kind) {
    case 'folder':
      return folderSource(named.path);
    case 'squashfs':
      return squashfsSource(named.path, work, tools);
    case 'layout folder':
      return imageSource(layoutFolder(named.path, platform), platform);
    case 'archive':
      return imageSource(layoutArchive(named.path, platform), platform);
    case 'registry':
      return imageSource(registryContent(init.registry, named.reference, work), platform);
  }
}

/** The digest of what a reference names now. A registry is only asked when the reference does not say it itself. */
export const referenceDigest = async (
  reference: ImageReference,
  registry: DistributionClient,
): Promise<string> => reference.digest ?? (await registry.resolve(reference)).descriptor.digest;

async function kindAt(path: string): Promise<PathKind> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) return 'none';
  if (stats.isDirectory()) {
    const marker = await lstat(join(path, layoutFiles.marker)).catch(() => undefined);
    return marker === undefined ? 'folder' : 'layout folder';
  }
  if (!stats.isFile()) return 'other';
  if (stats.size > extensionLimits.packedBytes)
    throw refused(`is larger than ${showBytes(extensionLimits.packedBytes)}`);
  await using file = await open(path, 'r');
  const { buffer } = await file.read(Buffer.alloc(512), 0, 512, 0);
  if (buffer.toString('latin1', 0, 4) === 'hsqs') return 'squashfs';
  return buffer.toString('latin1', 257, 262) === 'ustar' ? 'archive' : 'other';
}
