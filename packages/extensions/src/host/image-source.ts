import { createHash } from 'node:crypto';
import {
  type Descriptor,
  formatPlatform,
  type ImageManifest,
  isIndexType,
  isManifestType,
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
import { decompressionOf, readDocument, verifiedBytes } from './blob-bytes.ts';
import type { ExtensionSource, SourcedEntry } from './extension-source.ts';
import type { ImageContent } from './image-content.ts';

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
    if (decompressionOf(mediaType) === undefined)
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

/** Compares a layer with its digest before it is decompressed, so that one that was changed is called that. */
async function checkBlob(content: ImageContent, descriptor: Descriptor): Promise<void> {
  for await (const _piece of verifiedBytes(content.read(descriptor), descriptor));
}

async function* entriesOf(
  content: ImageContent,
  layer: Descriptor,
  diffId: string,
  count: (bytes: number) => void,
): AsyncGenerator<SourcedEntry> {
  const decompress = decompressionOf(layer.mediaType) ?? ((bytes) => bytes);
  const hash = createHash(diffId.split(':')[0] ?? '');
  async function* unpacked(): AsyncGenerator<Uint8Array> {
    // The content may have changed since it was compared, so it is compared again.
    for await (const piece of decompress(verifiedBytes(content.read(layer), layer))) {
      count(piece.length);
      hash.update(piece);
      yield piece;
    }
  }
  yield* readTar(unpacked());
  const found = `${diffId.split(':')[0]}:${hash.digest('hex')}`;
  if (found !== diffId) throw damaged(`a layer has the digest ${found} when unpacked, and not ${diffId}`);
}
