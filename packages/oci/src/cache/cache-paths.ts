// The paths of images below the folder of a cache. Media such as FAT allow no colon in a name. Source: Talos v1.14: image cache.
import type { ImageReference } from '../image-reference.ts';

/** Folders of a cache. */
export const cacheFolders = { blobs: 'blob', manifests: 'manifests' } as const;
/** Folders of a repository. */
export const repositoryFolders = { tags: 'reference', digests: 'digest' } as const;

/** The path of a blob. @param digest `sha256:<hex>` */
export const blobPath = (digest: string) => `${cacheFolders.blobs}/${fileFromDigest(digest)}`;

/** The folder of the manifests of a repository. */
export const repositoryPath = ({ registry, repository }: Pick<ImageReference, 'registry' | 'repository'>) =>
  `${cacheFolders.manifests}/${folderFromRegistry(registry)}/${repository}`;

/** The path of the manifest of an image, or of its index. */
export function manifestPath({ registry, repository, tag, digest }: ImageReference): string {
  const folder = repositoryPath({ registry, repository });
  return digest === undefined
    ? `${folder}/${repositoryFolders.tags}/${tag}`
    : `${folder}/${repositoryFolders.digests}/${fileFromDigest(digest)}`;
}

/** `sha256-<hex>` */
export const fileFromDigest = (digest: string) => digest.replace(':', '-');
export const digestFromFile = (name: string) => name.replace('-', ':');
const folderFromRegistry = (registry: string) => registry.replace(/:(\d+)$/, '_$1_');
/** The registry of a folder: `host:5000` for `host_5000_`. */
export const registryFromFolder = (name: string) => name.replace(/_(\d+)_$/, ':$1');
