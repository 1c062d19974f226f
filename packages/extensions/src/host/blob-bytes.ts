// The bytes of documents and layers of images from untrusted sources: compared with their descriptors, and decompressed.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import { type Descriptor, mediaTypes } from '@nodewright/oci';
import { showBytes } from '../domain/extension-limits.ts';
import { damaged, refused } from '../domain/refused.ts';
import type { ImageContent } from './image-content.ts';

/** Source: OCI distribution specification, pushing manifests. */
const documentBytes = 4 * 1024 * 1024;

/** 8 MiB: what every decompressor should have, and no compressor exceed by itself. Source: RFC 8878, section 3.1.1.1.2. */
const windowLogMax = 23;

/**
 * Decompresses a layer while it is read. The bytes are read to their end, also when the compressed content ends before it, so that their
 * digest is always checked.
 *
 * @throws Fault `data-loss` for bytes that cannot be decompressed; what the bytes fail with
 */
export type Decompress = (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
const plain: Decompress = (bytes) => bytes;
const gunzip: Decompress = (bytes) => through(bytes, createGunzip());
const unzstd: Decompress = (bytes) =>
  through(bytes, createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: windowLogMax } }));

const layerTypes: Readonly<Record<string, Decompress>> = {
  [mediaTypes.layer]: plain,
  [mediaTypes.gzipLayer]: gunzip,
  [mediaTypes.zstdLayer]: unzstd,
  'application/vnd.docker.image.rootfs.diff.tar': plain,
  'application/vnd.docker.image.rootfs.diff.tar.gzip': gunzip,
};

/** How a layer of this type is decompressed. Undefined for a type that is not the one of a layer. */
export const decompressionOf = (mediaType: string): Decompress | undefined =>
  Object.hasOwn(layerTypes, mediaType) ? layerTypes[mediaType] : undefined;

/**
 * A manifest, an index or a configuration, compared with its descriptor.
 *
 * @throws Fault `invalid-argument` when it has more than 4 MiB, `data-loss` when it is not what the descriptor says
 */
export async function readDocument(content: ImageContent, descriptor: Descriptor): Promise<Uint8Array> {
  if (descriptor.size > documentBytes)
    throw refused(`${descriptor.digest} is a document of more than ${showBytes(documentBytes)}`);
  const pieces: Uint8Array[] = [];
  for await (const piece of verifiedBytes(content.read(descriptor), descriptor)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The bytes themselves. @throws Fault `data-loss`, at the latest at the end, when they are not what the descriptor says */
export async function* verifiedBytes(
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
    source.unpipe(decompressor);
    for await (const _piece of source);
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
