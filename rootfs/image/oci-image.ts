import { createHash } from 'node:crypto';
import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { archiveItems, type TarItem } from '@nodewright/build/archives';
import { type Descriptor, digestOf, mediaTypes } from '@nodewright/oci';

export interface OciImageInit {
  readonly architecture: string;
  /** The layers, the lowest one first. */
  readonly layers: readonly (readonly TarItem[])[];
  /** By default gzip. */
  readonly compression?: Compression;
  /** What a container of the image runs; see `config` of the OCI image specification. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Time of the image and of every file in it, Unix time. */
  readonly epochSeconds: number;
}

/** A document or a layer of an image. */
export interface Blob extends Descriptor {
  readonly content: Buffer;
}

export interface OciImage {
  readonly manifest: Blob;
  readonly config: Blob;
  readonly layers: readonly Blob[];
}

/** A layer that several images may share. */
export interface PackedLayer {
  /** Digest of the archive before it was compressed. */
  readonly diffId: string;
  readonly layer: Blob;
}

/** zstd is smaller, and containerd unpacks it sooner. Older Docker engines, which load the image of a whole node, read gzip alone. */
export type Compression = 'none' | 'gzip' | 'zstd';

const compress = {
  none: (bytes: Buffer) => blob(mediaTypes.layer, bytes),
  gzip: (bytes: Buffer) => blob(mediaTypes.gzipLayer, gzipSync(bytes, { level: 6 })),
  zstd: (bytes: Buffer) =>
    blob(
      mediaTypes.zstdLayer,
      zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 9 } }),
    ),
} as const satisfies Record<Compression, unknown>;

/** Packs a layer. The same contents give the same bytes. @param epochSeconds time of every file in it, Unix time */
export function packLayer(
  items: readonly TarItem[],
  epochSeconds: number,
  compression: Compression = 'gzip',
): PackedLayer {
  const pieces = archiveItems(items, epochSeconds);
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return { diffId: `sha256:${hash.digest('hex')}`, layer: compress[compression](Buffer.concat(pieces)) };
}

/** Makes an image. The same contents give the same bytes. Source: OCI image specification. */
export function ociImage({ layers, ...init }: OciImageInit): OciImage {
  const { epochSeconds, compression } = init;
  return imageOfLayers({
    ...init,
    layers: layers.map((items) => packLayer(items, epochSeconds, compression)),
  });
}

/** Makes an image of layers that are packed already. */
export function imageOfLayers({
  architecture,
  layers: packed,
  config,
  epochSeconds,
}: Omit<OciImageInit, 'layers' | 'compression'> & { readonly layers: readonly PackedLayer[] }): OciImage {
  const settings = blob(
    mediaTypes.config,
    json({
      architecture,
      os: 'linux',
      created: new Date(epochSeconds * 1000).toISOString(),
      config,
      rootfs: { type: 'layers', diff_ids: packed.map(({ diffId }) => diffId) },
    }),
  );
  const own = packed.map(({ layer }) => layer);
  const manifest = blob(
    mediaTypes.manifest,
    json({
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config: descriptorOf(settings),
      layers: own.map(descriptorOf),
    }),
  );
  return { manifest, config: settings, layers: own };
}

/** The blob as other documents name it. */
export const descriptorOf = ({ mediaType, digest, size }: Blob): Descriptor => ({ mediaType, digest, size });

/** A document as its bytes. */
export const json = (value: unknown) => Buffer.from(JSON.stringify(value));

const blob = (mediaType: string, content: Buffer): Blob => ({
  ...{ mediaType, digest: digestOf(content), size: content.length, content },
});
