import type { ImageReference } from '@nodewright/oci';

/** The path of a blob below the folder of a cache. @param digest `sha256:<hex>` */
export const blobPath = (digest: string) => `blob/${fileName(digest)}`;

/** The path of the manifest of an image, or of its index. Source: Talos v1.14: image cache. */
export function manifestPath({ registry, repository, tag, digest }: ImageReference): string {
  const folder = `manifests/${registryFolder(registry)}/${repository}`;
  return digest === undefined ? `${folder}/reference/${tag}` : `${folder}/digest/${fileName(digest)}`;
}

/** Media such as FAT allow no colon in a name. */
const fileName = (digest: string) => digest.replace(':', '-');
const registryFolder = (registry: string) => registry.replace(/:(\d+)$/, '_$1_');
