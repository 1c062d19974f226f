import { type Descriptor, isDigest, type Platform, parseIndex, selectManifest } from '@nodewright/oci';
import { shown } from './entry-path.ts';
import { refused } from './refused.ts';

/** Files of an image layout. Source: OCI image specification, image layout. */
export const layoutFiles = { marker: 'oci-layout', index: 'index.json' } as const;
/** Bytes of each of them. */
export const layoutDocumentBytes = 4 * 1024 * 1024;

/** The path of a blob in a layout. @throws Fault `invalid-argument` for a text that is no digest: it would be a path of its own */
export function blobPath(digest: string): string {
  if (!isDigest(digest)) throw refused(`${shown(digest)} is not a digest`);
  return `blobs/${digest.replace(':', '/')}`;
}

/**
 * The image of a layout: the only one, or the one for the platform.
 *
 * @throws Fault `invalid-argument` for another version of the layout, or when it is not clear which image is meant
 */
export function rootOfLayout(marker: Uint8Array, index: Uint8Array, platform: Platform): Descriptor {
  if (versionOf(marker) !== '1.0.0') throw refused('oci-layout has no imageLayoutVersion 1.0.0');
  const { manifests } = parseIndex(index);
  if (manifests.length > 1 && manifests.some((manifest) => manifest.platform === undefined))
    throw refused(
      `its layout has ${manifests.length} images: copy the one that is meant into a layout of its own`,
    );
  const root = manifests.length === 1 ? manifests[0] : selectManifest(manifests, platform);
  if (root === undefined) throw refused('its layout has no image for this machine');
  return root;
}

function versionOf(marker: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(marker))?.imageLayoutVersion;
  } catch {
    return undefined;
  }
}
