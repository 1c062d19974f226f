import { volumeIds, volumePath, volumeRow } from '@nodewright/contract/volumes';

/** Images that an upgrade has added, on EPHEMERAL. */
export const addedImagesFolder = '/var/lib/nodewright/imagecache';

/**
 * Folders of a node with images that need no registry: the volume of the image cache, one that an image of this system may have, and what upgrades added.
 * Source: Talos v1.14: image cache.
 */
export const imageCacheRoots = [
  volumePath(volumeRow(volumeIds.imageCache)),
  '/usr/lib/nodewright/imagecache',
  addedImagesFolder,
] as const;
