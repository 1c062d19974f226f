// Artefacts of tests: as `make installer` writes them but small, and with changes that make wrong ones.
import { createHash, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { tarBytes, type WrittenEntry } from '@nodewright/extensions/testing';
import { type Descriptor, digestOf, mediaTypes, type Platform } from '@nodewright/oci';
import { certifyOwnKey } from '@nodewright/pki';
import type { ArtefactDescription } from '../domain/artefact-description.ts';
import { neededFiles, nodeKinds, type UpgradeTarget } from '../domain/check-target.ts';
import { type ArtefactLayer, encodeArtefact } from '../domain/encode-artefact.ts';

export const platform: Platform = { os: 'linux', architecture: 'amd64' };

export interface ArtefactSigner {
  readonly key: KeyObject;
  readonly certificate: X509Certificate;
}

export function createArtefactSigner(): ArtefactSigner {
  const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const [notBefore, notAfter] = [new Date('2026-01-01T00:00:00Z'), new Date('2056-01-01T00:00:00Z')];
  const pem = certifyOwnKey({ key, commonName: 'artefacts of a test', notBefore, notAfter });
  return { key, certificate: new X509Certificate(pem) };
}

/** The files of each layer, by path. */
export type TestFiles = readonly Readonly<Record<string, string | Uint8Array>>[];

/** All that nodes of any kind need: one layer for each kind. */
export const goodFiles: TestFiles = nodeKinds.map((kind) =>
  Object.fromEntries(neededFiles[kind].map((path) => [path, `content of ${path}\n`.repeat(40)])),
);

/** A node that may get the artefact. */
export const goodTarget: UpgradeTarget = {
  nodeKind: 'machine',
  edition: 'plain',
  version: 'v1.14.0',
  etcdVersion: '3.7.1',
  allowsDowngrade: false,
};

export interface TestArtefactInit {
  readonly signer: ArtefactSigner;
  readonly files?: TestFiles;
  readonly platform?: Platform;
  /** Of the manifest in its index. Default: that of the configuration. */
  readonly announced?: Platform;
  /** Changes the description before it is signed. */
  readonly describe?: (description: ArtefactDescription) => Partial<ArtefactDescription>;
  /** The entries of the archive of a layer, in place of its files. */
  readonly entries?: (files: readonly WrittenEntry[], layer: number) => readonly WrittenEntry[];
  /** What is appended to the archive of each layer. */
  readonly tail?: Uint8Array;
  /** Whether the layers are compressed. Default: not at all. */
  readonly isCompressed?: boolean;
  /** How they are compressed then. */
  readonly compress?: (bytes: Buffer) => Buffer;
  /** Changes the descriptor of a layer before the manifest is signed. */
  readonly layer?: (descriptor: Descriptor) => Descriptor;
  /** Changes the annotations of the manifest in its index. */
  readonly annotate?: (annotations: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
  /** Changes the layout when all is signed. */
  readonly change?: (files: Map<string, Buffer>, digests: TestDigests) => void;
}

export interface TestDigests {
  readonly index: string;
  readonly manifest: string;
  readonly config: string;
  readonly layers: readonly string[];
}

export interface TestArtefact {
  /** Of the layout, by path. */
  readonly files: ReadonlyMap<string, Buffer>;
  readonly digests: TestDigests;
}

export const blobPath = (digest: string) => `blobs/${digest.replace(':', '/')}`;

export function testArtefact(init: TestArtefactInit): TestArtefact {
  const { signer, files = goodFiles, isCompressed = false, describe = () => ({}), change } = init;
  const { compress = zstdCompressSync } = init;
  const packed = files.map((layer, at) => packLayer(layer, at, init));
  const given: ArtefactDescription = {
    ...{ version: 'v1.14.1', edition: 'plain', lowestVersion: 'v1.14.0', rootHash: 'a'.repeat(64) },
    ...{ etcdVersion: '3.7.3', certificates: [signer.certificate.toString()] },
    layers: packed.map(({ layer }) => layer.files),
  };
  const { layers: listed, ...description } = { ...given, ...describe(given) };
  const encoded = encodeArtefact({
    ...{ description, signer, epochSeconds: 1_700_000_000, platform: init.platform ?? platform },
    layers: packed.map(({ layer }, at) => ({ ...layer, files: listed[at] ?? [] })),
  });
  const { manifest, config } = encoded;
  const index = changedIndex(encoded.index.bytes, init);
  const layoutIndex = { schemaVersion: 2, manifests: [descriptorOf(mediaTypes.index, index)] };
  const digests: TestDigests = {
    ...{ index: digestOf(index), manifest: manifest.descriptor.digest, config: config.descriptor.digest },
    layers: packed.map(({ layer }) => layer.descriptor.digest),
  };
  const layout = new Map<string, Buffer>([
    ['oci-layout', Buffer.from('{"imageLayoutVersion":"1.0.0"}')],
    ['index.json', Buffer.from(JSON.stringify(layoutIndex))],
    [blobPath(digests.index), index],
    [blobPath(digests.manifest), manifest.bytes],
    [blobPath(digests.config), config.bytes],
    ...packed.map(({ bytes, layer }): [string, Buffer] => [blobPath(layer.descriptor.digest), bytes]),
  ]);
  change?.(layout, digests);
  return { files: layout, digests };

  function packLayer(
    layer: TestFiles[number],
    at: number,
    { entries, tail, layer: alter }: TestArtefactInit,
  ) {
    const plain = Object.entries(layer).map(([name, content]): WrittenEntry => ({ name, content }));
    const tar = Buffer.concat([tarBytes(entries?.(plain, at) ?? plain), tail ?? Buffer.alloc(0)]);
    const bytes = isCompressed ? compress(tar) : tar;
    const descriptor = descriptorOf(isCompressed ? mediaTypes.zstdLayer : mediaTypes.layer, bytes);
    const listedFiles = Object.entries(layer).map(([path, content]) => ({
      path,
      sizeBytes: Buffer.byteLength(content),
      sha256: createHash('sha256').update(content).digest('hex'),
    }));
    const packedLayer: ArtefactLayer = {
      ...{ descriptor: alter?.(descriptor) ?? descriptor, diffId: digestOf(tar), files: listedFiles },
    };
    return { bytes, layer: packedLayer };
  }
}

interface IndexDocument {
  readonly manifests: readonly { readonly annotations: Readonly<Record<string, string>> }[];
}

function changedIndex(bytes: Buffer, { announced, annotate = (same) => same }: TestArtefactInit): Buffer {
  const document = JSON.parse(bytes.toString()) as IndexDocument;
  const manifests = document.manifests.map((manifest) => ({
    ...manifest,
    annotations: annotate(manifest.annotations),
    ...(announced === undefined ? {} : { platform: announced }),
  }));
  return Buffer.from(JSON.stringify({ ...document, manifests }));
}

const descriptorOf = (mediaType: string, bytes: Buffer): Descriptor => ({
  ...{ mediaType, digest: digestOf(bytes), size: bytes.length },
});

/** The layout as an archive. */
export const layoutArchiveOf = ({ files }: Pick<TestArtefact, 'files'>): Buffer =>
  tarBytes([...files].map(([name, content]) => ({ name, content })));
