import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeTar } from '@nodewright/build/archives';
import type { SecureBootKey } from '@nodewright/build/keys';
import {
  type ArtefactDescription,
  type ArtefactLayer,
  checkTarget,
  encodeArtefact,
  type NodeKind,
  nodeKinds,
} from '@nodewright/installer';
import { type Compression, descriptorOf, packLayer } from '../image/oci-image.ts';

/** Files of a layer, by their paths in the artefact. */
export interface InstallerLayer {
  readonly files: Readonly<Record<string, Buffer>>;
  /** Default: none. Most files are compressed already. */
  readonly compression?: Compression;
}

export interface InstallerInit {
  readonly description: Omit<ArtefactDescription, 'layers'>;
  readonly architecture: string;
  readonly epochSeconds: number;
  readonly layers: readonly InstallerLayer[];
  readonly signer: SecureBootKey;
  /** The kinds of nodes that it is for. Default: all. */
  readonly kinds?: readonly NodeKind[];
}

/** The files of a layout, by path. */
type Layout = readonly (readonly [path: string, content: Buffer])[];

export interface BuiltInstaller {
  readonly manifestDigest: string;
  readonly layout: Layout;
}

/**
 * Makes an artefact of the installer. The same arguments give the same bytes.
 *
 * @throws Error when a file is missing without which a node of one of the kinds cannot be upgraded
 */
export function buildInstaller(init: InstallerInit): BuiltInstaller {
  const { description, architecture, epochSeconds, layers, signer, kinds = nodeKinds } = init;
  const packed = layers.map((layer) => packFiles(layer, epochSeconds));
  const { version, edition } = description;
  const described = { ...description, layers: packed.map(({ layer }) => layer.files) };
  for (const nodeKind of kinds)
    checkTarget(described, { nodeKind, edition, version, allowsDowngrade: false });
  const { index, manifest, config, layoutIndex } = encodeArtefact({
    ...{ description, epochSeconds, signer },
    platform: { os: 'linux', architecture },
    layers: packed.map(({ layer }) => layer),
  });
  const documents = [index, manifest, config].map(
    ({ descriptor, bytes }) => [blobPath(descriptor.digest), bytes] as const,
  );
  return {
    manifestDigest: manifest.descriptor.digest,
    layout: [
      ['oci-layout', Buffer.from('{"imageLayoutVersion":"1.0.0"}')],
      ['index.json', layoutIndex],
      ...documents,
      ...packed.map(({ layer, content }) => [blobPath(layer.descriptor.digest), content] as const),
    ],
  };
}

function packFiles(
  { files, compression = 'none' }: InstallerLayer,
  epochSeconds: number,
): { readonly layer: ArtefactLayer; readonly content: Buffer } {
  const sorted = Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const { diffId, layer } = packLayer(
    sorted.map(([name, content]) => ({ name, content: { kind: 'file', data: [content] } })),
    ...[epochSeconds, compression],
  );
  const listed = sorted.map(([path, content]) => ({
    path,
    sizeBytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  }));
  return { layer: { descriptor: descriptorOf(layer), diffId, files: listed }, content: layer.content };
}

/** Writes the folder `layout` and the archive `installer.tar` into a folder, which is emptied before. */
export function writeInstaller(folder: string, { layout }: BuiltInstaller): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [path, content] of layout) {
    const target = join(folder, 'layout', path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
  const file = openSync(join(folder, 'installer.tar'), 'w');
  try {
    for (const piece of writeTar(layout.map(([path, content]) => [path, [content]]))) writeWhole(file, piece);
  } finally {
    closeSync(file);
  }
}

function writeWhole(file: number, piece: Buffer): void {
  for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at);
}

const blobPath = (digest: string) => `blobs/${digest.replace(':', '/')}`;
