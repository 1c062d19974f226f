// What the writable cache holds, as a scan of its files found it.

interface CachedFile {
  /** Below the folder of the cache. */
  readonly path: string;
  readonly bytes: number;
  /** Unix time in ms. */
  readonly lastUsedMs: number;
}

export interface CachedTag extends CachedFile {
  readonly registry: string;
  readonly repository: string;
  readonly tag: string;
  readonly digest: string;
}

export interface CachedManifest extends CachedFile {
  readonly registry: string;
  readonly repository: string;
  readonly digest: string;
  /** Digests of the manifests and blobs that it names. */
  readonly children: readonly string[];
}

export interface CachedBlob extends CachedFile {
  readonly digest: string;
}

export interface CacheContents {
  readonly tags: readonly CachedTag[];
  readonly manifests: readonly CachedManifest[];
  readonly blobs: readonly CachedBlob[];
  /** Downloads that are not complete. */
  readonly unfinished: readonly CachedBlob[];
}

/** The size of everything, in bytes. */
export function totalBytes({ tags, manifests, blobs, unfinished }: CacheContents): number {
  return [...tags, ...manifests, ...blobs, ...unfinished].reduce((sum, { bytes }) => sum + bytes, 0);
}

/** An image: a tag, or a manifest that was pulled by its digest, with all of its content. */
export interface CachedImage {
  readonly tag: CachedTag | undefined;
  readonly registry: string;
  readonly repository: string;
  readonly digest: string;
  /** Its manifests, each before those that it names. */
  readonly manifests: readonly CachedManifest[];
  readonly blobs: readonly CachedBlob[];
  /** The latest use of any of its names and manifests. */
  readonly lastUsedMs: number;
}

/** The images, each with the content that the cache has of it. */
export function imagesOf({ tags, manifests, blobs }: CacheContents): CachedImage[] {
  const manifestBy = new Map(manifests.map((manifest) => [keyOf(manifest, manifest.digest), manifest]));
  const blobBy = new Map(blobs.map((blob) => [blob.digest, blob]));
  const named = new Set<string>();
  for (const manifest of manifests) for (const child of manifest.children) named.add(keyOf(manifest, child));
  for (const tag of tags) named.add(keyOf(tag, tag.digest));

  const imageOf = (tag: CachedTag | undefined, place: Place, digest: string): CachedImage => {
    const reached = new Map<string, CachedManifest>();
    const visit = (each: string) => {
      const manifest = manifestBy.get(keyOf(place, each));
      if (manifest === undefined || reached.has(each)) return;
      reached.set(each, manifest);
      for (const child of manifest.children) visit(child);
    };
    visit(digest);
    const children = new Set([...reached.values()].flatMap((manifest) => manifest.children));
    const lastUsed = [...reached.values(), ...(tag === undefined ? [] : [tag])].map(
      (file) => file.lastUsedMs,
    );
    return {
      ...{ tag, digest, registry: place.registry, repository: place.repository },
      manifests: [...reached.values()],
      blobs: [...children].flatMap((child) => blobBy.get(child) ?? []),
      lastUsedMs: Math.max(0, ...lastUsed),
    };
  };
  return [
    ...tags.map((tag) => imageOf(tag, tag, tag.digest)),
    ...manifests
      .filter((manifest) => !named.has(keyOf(manifest, manifest.digest)))
      .map((manifest) => imageOf(undefined, manifest, manifest.digest)),
  ];
}

/** Counts of several folders. */
export interface CacheSummary {
  readonly images: number;
  /** Blobs of the folders together; the same blob in two of them counts once. */
  readonly blobs: number;
  readonly blobBytes: number;
}

export function summaryOf(folders: readonly CacheContents[]): CacheSummary {
  const blobs = new Map(
    folders.flatMap((folder) => folder.blobs.map(({ digest, bytes }) => [digest, bytes])),
  );
  return {
    images: folders.reduce((sum, folder) => sum + imagesOf(folder).length, 0),
    blobs: blobs.size,
    blobBytes: [...blobs.values()].reduce((sum, bytes) => sum + bytes, 0),
  };
}

type Place = { readonly registry: string; readonly repository: string };
const keyOf = ({ registry, repository }: Place, digest: string) => `${registry}/${repository}@${digest}`;
