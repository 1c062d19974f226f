import type { DistributionClient, ImageReference, Platform } from '@nodewright/oci';
import type { NamedSource } from '../domain/source-name.ts';
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
