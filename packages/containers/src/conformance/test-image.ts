import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { mediaTypes } from '@nodewright/oci';
import { type Pack, pack } from 'tar-stream';

/** A blob with its descriptor, as in registries and layouts. */
export interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly bytes: Buffer;
}

export interface TestImage {
  readonly manifest: Blob;
  readonly config: Blob;
  readonly layers: readonly Blob[];
}

export interface TestImageInit {
  /** Path of a static BusyBox. */
  readonly busybox: string;
  /** Architecture in the notation of images; default this machine's. */
  readonly architecture?: string;
  /** Size of a second layer of incompressible bytes. */
  readonly paddingBytes?: number;
  /** More programs: static files of this machine by their path in the image, without a leading slash. */
  readonly programs?: Readonly<Record<string, string>>;
}

export const ownArchitecture = process.arch === 'x64' ? 'amd64' : process.arch;

/**
 * An image with little more than a shell. An entry point and a label identify it as the image of these tests.
 */
export async function makeTestImage(init: TestImageInit): Promise<TestImage> {
  const { busybox, architecture = ownArchitecture, paddingBytes = 0, programs = {} } = init;
  const program = await tarOf((archive) => {
    archive.entry({ name: 'bin/busybox', mode: 0o755 }, readFileSync(busybox));
    for (const name of ['sh', 'cat', 'sleep', 'id', 'readlink', 'touch', 'pwd', 'env', 'grep', 'ls'])
      archive.entry({ name: `bin/${name}`, type: 'symlink', linkname: 'busybox' });
    for (const [name, path] of Object.entries(programs))
      archive.entry({ name, mode: 0o755 }, readFileSync(path));
    // Mount points, because the root of a container is read-only.
    for (const name of ['tmp/', 'data/', 'shown/', 'proc/', 'sys/', 'dev/', 'etc/', 'run/'])
      archive.entry({ name, type: 'directory', mode: 0o755 });
  });
  const padding = await tarOf((archive) => {
    archive.entry({ name: 'padding' }, randomBytes(paddingBytes));
  });
  const tars = paddingBytes > 0 ? [program, padding] : [program];
  const layers = tars.map((tar) => blobOf(mediaTypes.gzipLayer, gzipSync(tar, { level: 1 })));
  const config = blobOf(
    mediaTypes.config,
    json({
      architecture,
      os: 'linux',
      config: {
        Entrypoint: ['/bin/sh'],
        Cmd: ['-c', 'echo from the image'],
        Env: ['PATH=/bin', 'FROM_IMAGE=yes'],
        Labels: { 'test.image': 'yes' },
      },
      rootfs: { type: 'layers', diff_ids: tars.map(digestOf) },
      history: tars.map(() => ({ created_by: 'test' })),
    }),
  );
  const manifest = blobOf(
    mediaTypes.manifest,
    json({
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config: descriptorOf(config),
      layers: layers.map(descriptorOf),
    }),
  );
  return { manifest, config, layers };
}

/** An index of images for several platforms. */
export function indexOf(images: Readonly<Record<string, TestImage>>): Blob {
  const manifests = Object.entries(images).map(([architecture, { manifest }]) => ({
    ...descriptorOf(manifest),
    platform: { os: 'linux', architecture },
  }));
  return blobOf(mediaTypes.index, json({ schemaVersion: 2, mediaType: mediaTypes.index, manifests }));
}

/** An OCI image layout with one image. */
export function layoutArchive({ manifest, config, layers }: TestImage, name: string): Promise<Buffer> {
  const index = {
    schemaVersion: 2,
    manifests: [{ ...descriptorOf(manifest), annotations: { 'io.containerd.image.name': name } }],
  };
  return tarOf((archive) => {
    archive.entry({ name: 'oci-layout' }, json({ imageLayoutVersion: '1.0.0' }));
    archive.entry({ name: 'index.json' }, json(index));
    for (const { digest, bytes } of [manifest, config, ...layers])
      archive.entry({ name: `blobs/${digest.replace(':', '/')}` }, bytes);
  });
}

/** The format that `docker save` wrote before it wrote layouts. */
export function dockerArchive({ config, layers }: TestImage, name: string): Promise<Buffer> {
  const hex = ({ digest }: Blob) => digest.slice('sha256:'.length);
  const files = layers.map((layer) => `${hex(layer)}/layer.tar`);
  const manifest = [{ Config: `${hex(config)}.json`, RepoTags: [name], Layers: files }];
  return tarOf((archive) => {
    archive.entry({ name: `${hex(config)}.json` }, config.bytes);
    for (const [index, { bytes }] of layers.entries()) archive.entry({ name: files[index] ?? '' }, bytes);
    archive.entry({ name: 'manifest.json' }, json(manifest));
  });
}

export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function blobOf(mediaType: string, bytes: Buffer): Blob {
  return { mediaType, digest: digestOf(bytes), bytes };
}

function descriptorOf({ mediaType, digest, bytes }: Blob) {
  return { mediaType, digest, size: bytes.length };
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

function tarOf(fill: (archive: Pack) => void): Promise<Buffer> {
  const archive = pack();
  fill(archive);
  archive.finalize();
  return buffer(archive);
}
