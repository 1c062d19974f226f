import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { digestOf, mediaTypes, type Platform } from '@nodewright/oci';
import { tarBytes, type WrittenEntry } from './tar-bytes.ts';

export const platform: Platform = { os: 'linux', architecture: 'amd64' };

/** The text of a manifest. */
export const manifestText = (name = 'demo', constraint = '>= v1.10.0') =>
  `version: v1alpha1
metadata:
  name: ${name}
  version: 1.2.3
  author: Example Org
  description: An extension of the tests.
  compatibility:
    talos:
      version: "${constraint}"
`;

/** What every extension has. */
export const start: readonly WrittenEntry[] = [
  { name: 'manifest.yaml', content: manifestText() },
  { name: 'rootfs/', type: '5' },
];

export interface Part {
  readonly mediaType: string;
  readonly digest: string;
  readonly bytes: Buffer;
}

/** An image of layers that are tar archives, with changes that make it a wrong one. */
export interface TestImage {
  /** By path in the layout. */
  readonly files: Readonly<Record<string, Buffer>>;
  readonly manifest: Part;
  readonly config: Part;
  readonly layers: readonly Part[];
}

export interface TestImageInit {
  readonly config?: Readonly<Record<string, unknown>>;
  readonly manifest?: (manifest: Record<string, unknown>) => Record<string, unknown>;
  readonly index?: (manifest: Descriptor) => unknown;
  readonly layerType?: string;
  readonly pack?: (tar: Buffer) => Buffer;
}

type Descriptor = { readonly mediaType: string; readonly digest: string; readonly size: number };

export function testImage(tars: readonly Buffer[], init: TestImageInit = {}): TestImage {
  const { layerType = mediaTypes.gzipLayer, pack = (tar) => gzipSync(tar, { level: 1 }) } = init;
  const layers = tars.map((tar) => part(layerType, pack(tar)));
  const config = part(
    mediaTypes.config,
    json({
      architecture: 'amd64',
      os: 'linux',
      rootfs: { type: 'layers', diff_ids: tars.map(digestOf) },
      ...init.config,
    }),
  );
  const change = init.manifest ?? ((given) => given);
  const written = change({
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: descriptorOf(config),
    layers: layers.map(descriptorOf),
  });
  const manifest = part(mediaTypes.manifest, json(written));
  const named = descriptorOf(manifest);
  const index = json(init.index?.(named) ?? { schemaVersion: 2, manifests: [named] });
  const blobs = [manifest, config, ...layers].map(({ digest, bytes }) => [blobName(digest), bytes] as const);
  return {
    ...{ manifest, config, layers },
    files: {
      'oci-layout': json({ imageLayoutVersion: '1.0.0' }),
      'index.json': index,
      ...Object.fromEntries(blobs),
    },
  };
}

export const blobName = (digest: string) => `blobs/${digest.replace(':', '/')}`;
const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const part = (mediaType: string, bytes: Buffer): Part => ({ mediaType, digest: digestOf(bytes), bytes });
const descriptorOf = ({ mediaType, digest, bytes }: Part): Descriptor => ({
  ...{ mediaType, digest },
  size: bytes.length,
});

/** Writes a layout, and returns its folder. */
export function writeLayout(folder: string, { files }: Pick<TestImage, 'files'>): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** The same as an archive. */
export const layoutArchiveBytes = ({ files }: Pick<TestImage, 'files'>): Buffer =>
  tarBytes(Object.entries(files).map(([name, content]) => ({ name, content })));
