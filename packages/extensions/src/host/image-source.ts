import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import {
  type Descriptor,
  formatPlatform,
  type ImageManifest,
  isIndexType,
  isManifestType,
  mediaTypes,
  type Platform,
  parseImageConfig,
  parseIndex,
  parseManifest,
  selectManifest,
} from '@nodewright/oci';
import { shown } from '../domain/entry-path.ts';
import { extensionLimits, showBytes } from '../domain/extension-limits.ts';
import { readTar } from '../domain/read-tar.ts';
import { damaged, refused } from '../domain/refused.ts';
import type { ExtensionSource, SourcedEntry } from './extension-source.ts';
import type { ImageContent } from './image-content.ts';

/** Source: OCI distribution specification, pushing manifests. */
const documentBytes = 4 * 1024 * 1024;

type Decompress = (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
const plain: Decompress = (bytes) => bytes;
const gunzip: Decompress = (bytes) => through(bytes, createGunzip());
const unzstd: Decompress = (bytes) => through(bytes, createZstdDecompress());

const layerTypes: Readonly<Record<string, Decompress>> = {
  [mediaTypes.layer]: plain,
  [mediaTypes.gzipLayer]: gunzip,
  [mediaTypes.zstdLayer]: unzstd,
  'application/vnd.docker.image.rootfs.diff.tar': plain,
  'application/vnd.docker.image.rootfs.diff.tar.gzip': gunzip,
};

/**
 * An extension as an OCI image. Every part is compared with its digest and its size, the layers also with their contents'.
 *
 * @param unpackedBytes what all layers may have when they are decompressed
 */
export function imageSource(
  content: ImageContent,
  platform: Platform,
  unpackedBytes: number = extensionLimits.unpackedBytes,
): ExtensionSource {
  return {
    async *layers() {
      const manifest = await findManifest(content, platform);
      const diffIds = await checkManifest(content, manifest, platform);
      let left = unpackedBytes;
      for (const [index, layer] of manifest.layers.entries()) {
        await checkBlob(content, layer);
        yield entriesOf(content, layer, diffIds[index] ?? '', (bytes) => {
          left -= bytes;
          if (left < 0) throw refused(`its layers have more than ${showBytes(unpackedBytes)} when unpacked`);
        });
      }
    },
    [Symbol.asyncDispose]: () => content[Symbol.asyncDispose](),
  };
}

async function findManifest(content: ImageContent, platform: Platform): Promise<ImageManifest> {
  let descriptor = await content.root();
  for (let depth = 0; depth < extensionLimits.indexDepth; depth += 1) {
    const bytes = await readDocument(content, descriptor);
    if (isManifestType(descriptor.mediaType)) return parseManifest(bytes);
    if (!isIndexType(descriptor.mediaType))
      throw refused(`${shown(descriptor.mediaType)} is not the type of an image`);
    const next = selectManifest(parseIndex(bytes).manifests, platform);
    if (next === undefined) throw refused(`it has no image for ${formatPlatform(platform)}`);
    descriptor = next;
  }
  throw refused(`more than ${extensionLimits.indexDepth - 1} indexes lead to its image`);
}

/** @returns the digests of the decompressed layers */
async function checkManifest(
  content: ImageContent,
  { config, layers }: ImageManifest,
  { os, architecture }: Platform,
): Promise<readonly string[]> {
  if (layers.length === 0) throw refused('its image has no layer');
  if (layers.length > extensionLimits.layers)
    throw refused(`it has more than ${extensionLimits.layers} layers`);
  for (const { mediaType, size } of layers) {
    if (!Object.hasOwn(layerTypes, mediaType))
      throw refused(`${shown(mediaType)} is not the type of a layer that can be read`);
    if (size > extensionLimits.packedBytes)
      throw refused(`it has a layer of more than ${showBytes(extensionLimits.packedBytes)}`);
  }
  const { diffIds, platform } = parseImageConfig(await readDocument(content, config));
  if (platform.os !== os || platform.architecture !== architecture)
    throw refused(`its image is for ${shown(formatPlatform(platform))}, and not for ${os}/${architecture}`);
  if (diffIds.length !== layers.length)
    throw damaged(`its image has ${layers.length} layers, and the digests of ${diffIds.length}`);
  return diffIds;
}

async function readDocument(content: ImageContent, descriptor: Descriptor): Promise<Uint8Array> {
  if (descriptor.size > documentBytes)
    throw refused(`${descriptor.digest} is a document of more than ${showBytes(documentBytes)}`);
  const pieces: Uint8Array[] = [];
  for await (const piece of verified(content.read(descriptor), descriptor)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Compares a layer with its digest before it is decompressed, so that one that was changed is called that. */
async function checkBlob(content: ImageContent, descriptor: Descriptor): Promise<void> {
  for await (const _piece of verified(content.read(descriptor), descriptor));
}

async function* entriesOf(
  content: ImageContent,
  layer: Descriptor,
  diffId: string,
  count: (bytes: number) => void,
): AsyncGenerator<SourcedEntry> {
  const decompress = layerTypes[layer.mediaType] ?? plain;
  const hash = createHash(diffId.split(':')[0] ?? '');
  async function* unpacked(): AsyncGenerator<Uint8Array> {
    // The content may have changed since it was compared, so it is compared again.
    for await (const piece of decompress(verified(content.read(layer), layer))) {
      count(piece.length);
      hash.update(piece);
      yield piece;
    }
  }
  yield* readTar(unpacked());
  const found = `${diffId.split(':')[0]}:${hash.digest('hex')}`;
  if (found !== diffId) throw damaged(`a layer has the digest ${found} when unpacked, and not ${diffId}`);
}

/** The bytes themselves. @throws Fault `data-loss` at the end when they are not what the descriptor says */
async function* verified(
  bytes: AsyncIterable<Uint8Array>,
  { digest, size }: Descriptor,
): AsyncGenerator<Uint8Array> {
  const [algorithm = ''] = digest.split(':');
  const hash = createHash(algorithm);
  let sizeBytes = 0;
  for await (const piece of bytes) {
    sizeBytes += piece.length;
    if (sizeBytes > size) throw damaged(`${digest} has more than its ${size} bytes`);
    hash.update(piece);
    yield piece;
  }
  if (sizeBytes !== size) throw damaged(`${digest} has ${sizeBytes} of its ${size} bytes`);
  const found = `${algorithm}:${hash.digest('hex')}`;
  if (found !== digest) throw damaged(`the content of ${digest} was changed: its digest is ${found}`);
}

async function* through(
  bytes: AsyncIterable<Uint8Array>,
  decompressor: NodeJS.ReadWriteStream & { destroy(error?: Error): unknown },
): AsyncGenerator<Uint8Array> {
  const source = Readable.from(bytes, { objectMode: false });
  let sourceError: Error | undefined;
  source.on('error', (error) => {
    sourceError = error;
    decompressor.destroy(error);
  });
  source.pipe(decompressor);
  try {
    yield* decompressor as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (sourceError !== undefined) throw sourceError;
    throw damaged(
      `a layer cannot be decompressed: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    source.destroy();
    decompressor.destroy();
  }
}
