import { Fault, faultFrom } from '@nodewright/fault';
import {
  type Descriptor,
  formatPlatform,
  type ImageConfig,
  type ImageManifest,
  isIndexType,
  matchesPlatform,
  type Platform,
  parseImageConfig,
  parseIndex,
  parseManifest,
  selectManifest,
} from '@nodewright/oci';
import type { NamespaceServices } from './containerd-services.ts';

/** An image in the content store, for one platform. */
export interface StoredImage {
  readonly manifest: ImageManifest;
  readonly config: ImageConfig;
  /** Total bytes of all of its content. */
  readonly sizeBytes: number;
}

/** Documents of images are small; larger ones are refused as an attack. */
const documentLimitBytes = 8 * 1024 * 1024;

type Content = NamespaceServices['content'];

/** @throws Fault `not-found` when it does not exist */
export async function readContent(
  content: Content,
  digest: string,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const { data } of content.read({ digest }, { signal })) {
    sizeBytes += data.length;
    if (sizeBytes > documentLimitBytes)
      throw new Fault('data-loss', `${digest} is too large for a document of an image`);
    pieces.push(data);
  }
  return Buffer.concat(pieces);
}

/**
 * Checks the size before the content is downloaded.
 *
 * @throws Fault `data-loss` when the document would be too large to read
 */
export function refuseLargeDocument({ digest, size }: Descriptor): void {
  if (size > documentLimitBytes)
    throw new Fault('data-loss', `${digest} is too large for a document of an image: ${size} bytes`);
}

/**
 * Finds the parts of an image for a platform.
 *
 * @throws Fault `failed-precondition` when it is for others
 */
export async function readStoredImage(
  content: Content,
  target: Descriptor,
  platform: Platform,
  signal?: AbortSignal,
): Promise<StoredImage> {
  let [manifestDescriptor, indexBytes] = [target, 0];
  if (isIndexType(target.mediaType)) {
    const { manifests } = parseIndex(await readContent(content, target.digest, signal));
    manifestDescriptor = requireManifest(manifests, platform);
    indexBytes = target.size;
  }
  const manifest = parseManifest(await readContent(content, manifestDescriptor.digest, signal));
  const config = parseImageConfig(await readContent(content, manifest.config.digest, signal));
  requirePlatform(config, platform);
  const parts = [manifestDescriptor, manifest.config, ...manifest.layers];
  return { manifest, config, sizeBytes: parts.reduce((sum, { size }) => sum + size, indexBytes) };
}

/** The size of an image; 0 when parts are missing, or when it is not for this platform. */
export async function storedSizeBytes(
  content: Content,
  target: Descriptor,
  platform: Platform,
  signal?: AbortSignal,
): Promise<number> {
  try {
    return (await readStoredImage(content, target, platform, signal)).sizeBytes;
  } catch (error) {
    const { kind } = faultFrom(error);
    if (kind === 'not-found' || kind === 'failed-precondition' || kind === 'data-loss') return 0;
    throw error;
  }
}

/** @throws Fault `failed-precondition` */
export function requireManifest(manifests: readonly Descriptor[], platform: Platform): Descriptor {
  const found = selectManifest(manifests, platform);
  if (found !== undefined) return found;
  const offered = manifests.flatMap((manifest) =>
    manifest.platform === undefined ? [] : [formatPlatform(manifest.platform)],
  );
  throw otherPlatform(offered, platform);
}

/** @throws Fault `failed-precondition` */
export function requirePlatform(config: ImageConfig, platform: Platform): void {
  if (!matchesPlatform(config.platform, platform))
    throw otherPlatform([formatPlatform(config.platform)], platform);
}

function otherPlatform(offered: readonly string[], platform: Platform): Fault {
  const list = offered.length === 0 ? 'no platform' : offered.join(', ');
  return new Fault(
    'failed-precondition',
    `the image is for ${list}, and not for ${formatPlatform(platform)}`,
  );
}
