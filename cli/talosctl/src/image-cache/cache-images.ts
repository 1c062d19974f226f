import { randomBytes } from 'node:crypto';
import { link, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import { makeFolder } from '@nodewright/files';
import {
  type Descriptor,
  type DistributionClient,
  formatImageReference,
  formatPlatform,
  hashOf,
  type ImageReference,
  isIndexType,
  matchesPlatform,
  type Platform,
  parseIndex,
  parseManifest,
} from '@nodewright/oci';
import { blobPath, fileFromDigest, manifestPath } from '@nodewright/oci/cache';

export interface CacheImagesInit {
  readonly client: DistributionClient;
  /** Folder of the cache. */
  readonly folder: string;
  /** Folder in which layers are kept for later caches. */
  readonly layerFolder: string | undefined;
  /** `undefined`: every platform. */
  readonly platform: Platform | undefined;
  /** Also the signatures that cosign has stored beside an image. */
  readonly withSignatures: boolean;
  /** Download content that the folder has already. */
  readonly force: boolean;
  readonly signal: AbortSignal;
  /** Called with the size of content that has to be there, and with bytes that are there. */
  readonly onPlanned: (bytes: number) => void;
  readonly onStored: (bytes: number) => void;
}

export interface CachedImageFacts {
  /** The complete name. */
  readonly image: string;
  readonly digest: string;
  /** Of all of its content. */
  readonly bytes: number;
}

/** Attempts for a blob whose connection breaks; each continues where the last one ended. */
const attempts = 5;

/**
 * Downloads an image into a folder with the layout of the image cache. Files appear complete and verified, content first, so a run
 * that was interrupted is continued by the next one.
 *
 * @throws Fault when the image or a part of it cannot be downloaded
 */
export async function cacheImage(
  reference: ImageReference,
  init: CacheImagesInit,
): Promise<CachedImageFacts> {
  const facts = await cacheOne(reference, init);
  if (init.withSignatures) {
    const { registry, repository } = reference;
    const name = fileFromDigest(facts.digest);
    // Signatures are images whose tags name the digest. Source: cosign.
    for (const tag of [`${name}.sig`, name]) {
      await cacheOne({ registry, repository, tag }, { ...init, platform: undefined }).catch(
        (error: unknown) => {
          if (faultFrom(error).kind !== 'not-found') throw error;
        },
      );
    }
  }
  return facts;
}

async function cacheOne(reference: ImageReference, init: CacheImagesInit): Promise<CachedImageFacts> {
  const { client, folder, platform, signal } = init;
  const { registry, repository } = reference;
  const { descriptor, bytes } = await client.resolve(reference, { signal });
  const manifests = new Map([[descriptor.digest, bytes]]);
  if (isIndexType(descriptor.mediaType)) {
    const found = parseIndex(bytes).manifests.filter(
      (each) =>
        platform === undefined || (each.platform !== undefined && matchesPlatform(each.platform, platform)),
    );
    if (found.length === 0 && platform !== undefined)
      throw new Fault(
        'not-found',
        `${formatImageReference(reference)} has no image for ${formatPlatform(platform)}`,
      );
    for (const each of found)
      manifests.set(each.digest, (await client.fetchManifest(reference, each, { signal })).bytes);
  }
  const blobs = new Map<string, Descriptor>();
  for (const [digest, document] of manifests) {
    if (digest === descriptor.digest && isIndexType(descriptor.mediaType)) continue;
    const { config, layers } = parseManifest(document);
    for (const each of [config, ...layers]) blobs.set(each.digest, each);
  }
  const total = [...blobs.values()].reduce((sum, { size }) => sum + size, 0);
  init.onPlanned(total);
  for (const blob of blobs.values()) await cacheBlob(reference, blob, init);
  // Names come after their content.
  for (const [digest, document] of [...manifests].reverse())
    await writeWhole(join(folder, manifestPath({ registry, repository, digest })), [document]);
  const { tag } = reference;
  if (tag !== undefined) await writeWhole(join(folder, manifestPath({ registry, repository, tag })), [bytes]);
  return { image: formatImageReference(reference), digest: descriptor.digest, bytes: total };
}

async function cacheBlob(reference: ImageReference, blob: Descriptor, init: CacheImagesInit): Promise<void> {
  const { folder, layerFolder, force } = init;
  const path = join(folder, blobPath(blob.digest));
  const hasIt = async (file: string) =>
    (await stat(file).catch(() => undefined))?.size === blob.size && !force;
  if (await hasIt(path)) return init.onStored(blob.size);
  const kept = layerFolder === undefined ? undefined : join(layerFolder, fileFromDigest(blob.digest));
  if (kept === undefined) return writeWhole(path, download(reference, blob, init), blob.digest);
  if (await hasIt(kept)) init.onStored(blob.size);
  else await writeWhole(kept, download(reference, blob, init), blob.digest);
  await makeFolder(dirname(path));
  await rm(path, { force: true });
  await link(kept, path).catch(async (error: NodeJS.ErrnoException) => {
    // The two folders may be on different file systems.
    if (error.code !== 'EXDEV' && error.code !== 'EPERM') throw error;
    await using source = await open(kept);
    await writeWhole(path, source.createReadStream({ autoClose: false }), blob.digest);
  });
}

async function* download(
  reference: ImageReference,
  blob: Descriptor,
  { client, signal, onStored }: CacheImagesInit,
): AsyncGenerator<Uint8Array> {
  let offset = 0;
  for (let attempt = 1; offset < blob.size; attempt += 1) {
    try {
      for await (const piece of client.fetchBlob(reference, blob, { offset, signal })) {
        offset += piece.length;
        onStored(piece.length);
        yield piece;
      }
    } catch (error) {
      if (faultFrom(error).kind !== 'aborted' || attempt === attempts) throw error;
    }
  }
}

/** Writes a file that appears only when it is complete. @throws Fault `data-loss` when it has another digest */
async function writeWhole(
  path: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  digest?: string,
): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.part`;
  const hash = digest === undefined ? undefined : hashOf(digest);
  await makeFolder(dirname(path));
  try {
    {
      await using file = await open(draft, 'wx', 0o644);
      for await (const piece of pieces) {
        hash?.update(piece);
        await file.writeFile(piece);
      }
      await file.sync();
    }
    const hex = hash?.digest('hex');
    if (digest !== undefined && !digest.endsWith(`:${hex}`))
      throw new Fault('data-loss', `the registry sends other content than ${digest}`);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
