import { type CacheContents, type CachedBlob, type CachedImage, imagesOf } from './cache-contents.ts';

export interface CollectionPlanInit {
  readonly contents: CacheContents;
  /** Whether the node uses the image. */
  readonly isUsed: (image: CachedImage) => boolean;
  /** Whether a reader or a download holds the content with this digest. */
  readonly isHeld: (digest: string) => boolean;
  readonly nowMs: number;
  /** What was used within this time is kept. */
  readonly graceMs: number;
  /** Unfinished downloads without progress for this long are removed, and the others as far as space is needed. */
  readonly unfinishedMs: number;
  /**
   * Unfinished downloads, and then images, are removed until this many bytes are free, the one that was not used for longest first. 0: none
   * is.
   */
  readonly neededBytes: number;
}

/** A file to remove. */
export interface Removal {
  /** Below the folder of the cache. */
  readonly path: string;
  /** Checked once more right before the removal; undefined for a tag. */
  readonly digest: string | undefined;
  readonly bytes: number;
}

/**
 * Plans which files to remove, in this order: names before what they name, and manifests before their content. So the cache is
 * whole after each removal, and a crash only leaves content that the next collection removes.
 */
export function planCollection(init: CollectionPlanInit): Removal[] {
  const { contents, isUsed, isHeld, nowMs, graceMs, neededBytes } = init;
  const images = imagesOf(contents).toSorted((a, b) => a.lastUsedMs - b.lastUsedMs);
  const uses = new Map<string, number>();
  for (const path of images.flatMap(pathsOf)) uses.set(path, (uses.get(path) ?? 0) + 1);

  const isOld = ({ lastUsedMs }: { readonly lastUsedMs: number }) => nowMs - lastUsedMs >= graceMs;
  const unneeded = contents.blobs.filter(
    (blob) => !uses.has(blob.path) && isOld(blob) && !isHeld(blob.digest),
  );
  let freedBytes = unneeded.reduce((sum, { bytes }) => sum + bytes, 0);
  const abandoned: CachedBlob[] = [];
  // Nothing needs an unfinished file; it only saves a part of a later download. So it goes before any image does.
  for (const blob of contents.unfinished.toSorted((a, b) => a.lastUsedMs - b.lastUsedMs)) {
    const isOverdue = nowMs - blob.lastUsedMs >= init.unfinishedMs;
    if (isHeld(blob.digest) || (!isOverdue && freedBytes >= neededBytes)) continue;
    abandoned.push(blob);
    freedBytes += blob.bytes;
  }

  const tags: Removal[] = [];
  const manifests: Removal[] = [];
  const blobs: Removal[] = [];
  for (const image of images) {
    if (freedBytes >= neededBytes) break;
    if (isUsed(image) || !isOld(image) || isHeld(image.digest)) continue;
    const free = ({ path, digest }: { readonly path: string; readonly digest: string }) => {
      const left = (uses.get(path) ?? 0) - 1;
      uses.set(path, left);
      return left === 0 && !isHeld(digest);
    };
    const { tag } = image;
    const removed = {
      tags: tag === undefined ? [] : [{ path: tag.path, digest: undefined, bytes: tag.bytes }],
      manifests: image.manifests.filter(free),
      blobs: image.blobs.filter(free),
    };
    tags.push(...removed.tags);
    manifests.push(...removed.manifests.map(removalOf));
    blobs.push(...removed.blobs.map(removalOf));
    for (const { bytes } of Object.values(removed).flat()) freedBytes += bytes;
  }
  return [...tags, ...manifests, ...blobs, ...[...unneeded, ...abandoned].map(removalOf)];
}

const pathsOf = ({ manifests, blobs }: CachedImage) => [...manifests, ...blobs].map(({ path }) => path);

function removalOf({ path, digest, bytes }: { path: string; digest: string; bytes: number }): Removal {
  return { path, digest, bytes };
}
