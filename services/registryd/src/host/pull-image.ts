import { pause } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import {
  type Descriptor,
  formatImageReference,
  formatPlatform,
  type ImageReference,
  isIndexType,
  type Platform,
  parseIndex,
  parseManifest,
  selectManifest,
} from '@nodewright/oci';
import { TransferRate } from '@nodewright/oci/cache';
import type { LocalImages } from '@nodewright/oci/serve';
import type { Leases } from './leases.ts';
import type { PullThrough } from './pull-through.ts';

export interface PullProgress {
  /** Bytes of the image's content that are in the cache. */
  readonly bytes: number;
  readonly totalBytes: number;
  readonly bytesPerSecond: number;
}

export interface PullImageInit {
  readonly source: PullThrough;
  readonly images: LocalImages;
  readonly leases: Leases;
}

const progressMs = 500;

/**
 * Downloads what the cache lacks of an image for one platform, and reports the progress twice per second. What the cache has is verified,
 * and downloaded if it is damaged.
 *
 * @returns the digest of the image, or of its index
 * @throws Fault when a part cannot be downloaded; the others stay for the next pull
 */
export async function* pullImage(
  reference: ImageReference,
  platform: Platform,
  { source, images, leases }: PullImageInit,
  signal: AbortSignal,
): AsyncGenerator<PullProgress, string> {
  const target = await source.resolve(reference);
  const { config, layers } = parseManifest(await manifestBytes());
  const blobs = [...new Map([config, ...layers].map((each) => [each.digest, each])).values()];
  using _lease = leases.hold([target.digest, ...blobs.map(({ digest }) => digest)]);
  const totalBytes = blobs.reduce((sum, { size }) => sum + size, 0);
  const fetched = new Map<string, number>();
  const rate = new TransferRate();
  const stop = new AbortController();
  const pulling = Promise.all(blobs.map((blob) => fetchBlob(blob, AbortSignal.any([signal, stop.signal]))));
  let isOver = false;
  const over = pulling.then(
    () => {},
    () => {},
  );
  try {
    void over.then(() => {
      isOver = true;
      stop.abort();
    });
    while (!isOver) {
      yield progress();
      await pause(progressMs, stop.signal);
    }
    await pulling;
    yield progress();
  } finally {
    stop.abort();
    await over;
  }
  return target.digest;

  async function manifestBytes(): Promise<Uint8Array> {
    if (!isIndexType(target.mediaType)) return target.bytes;
    const own = selectManifest(parseIndex(target.bytes).manifests, platform);
    const name = formatImageReference(reference);
    if (own === undefined)
      throw new Fault('not-found', `${name} has no image for ${formatPlatform(platform)}`);
    const { registry, repository } = reference;
    return (await source.resolve({ registry, repository, digest: own.digest })).bytes;
  }

  async function fetchBlob({ digest, size }: Descriptor, blobSignal: AbortSignal): Promise<void> {
    if (await isWhole(digest, blobSignal)) return assertSize(digest, size);
    await using blob = await source.openDownload(reference, digest, blobSignal);
    await count(digest, blob.read(undefined, blobSignal), blobSignal);
    assertSize(digest, size);
  }

  /** Reads a stored blob, which compares its digest. */
  async function isWhole(digest: string, blobSignal: AbortSignal): Promise<boolean> {
    await using found = await images.blob(digest);
    if (found === undefined) return false;
    try {
      await count(digest, found.read(), blobSignal);
      return true;
    } catch (error) {
      const fault = faultFrom(error);
      if (fault.kind !== 'data-loss') throw fault;
      return false;
    }
  }

  async function count(
    digest: string,
    chunks: AsyncIterable<Uint8Array>,
    readSignal: AbortSignal,
  ): Promise<void> {
    let bytes = 0;
    fetched.set(digest, bytes);
    for await (const chunk of chunks) {
      readSignal.throwIfAborted();
      bytes += chunk.length;
      fetched.set(digest, bytes);
    }
  }

  function assertSize(digest: string, size: number): void {
    const bytes = fetched.get(digest);
    if (bytes !== size)
      throw new Fault('data-loss', `${digest} has ${bytes} bytes, and not ${size} as its manifest says`);
  }

  function progress(): PullProgress {
    const bytes = [...fetched.values()].reduce((sum, each) => sum + each, 0);
    rate.record(bytes, performance.now());
    return { bytes, totalBytes, bytesPerSecond: rate.bytesPerSecond(performance.now()) };
  }
}
