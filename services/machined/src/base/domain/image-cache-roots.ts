import { volumeIds, volumePath, volumeRow } from '@nodewright/contract/volumes';

/**
 * Folders of a node with images that need no registry: the volume of the image cache, and one that an image of this system may have.
 * Source: Talos v1.14: image cache.
 */
export const imageCacheRoots = [
  volumePath(volumeRow(volumeIds.imageCache)),
  '/usr/lib/nodewright/imagecache',
] as const;
