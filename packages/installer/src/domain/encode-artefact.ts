import type { KeyObject, X509Certificate } from 'node:crypto';
import { type Descriptor, digestOf, mediaTypes, type Platform } from '@nodewright/oci';
import {
  type ArtefactDescription,
  type ArtefactFile,
  describedArtefact,
  descriptionKey,
} from './artefact-description.ts';
import { signatureAnnotation, signManifest } from './artefact-signature.ts';

/** A layer that is packed already: a tar archive of files, compressed or not. */
export interface ArtefactLayer {
  readonly descriptor: Descriptor;
  /** Digest of the archive before it was compressed. */
  readonly diffId: string;
  readonly files: readonly ArtefactFile[];
}

export interface EncodeArtefactInit {
  readonly description: Omit<ArtefactDescription, 'layers'>;
  readonly platform: Platform;
  /** The time of the image, Unix time. */
  readonly epochSeconds: number;
  readonly layers: readonly ArtefactLayer[];
  readonly signer: { readonly key: KeyObject; readonly certificate: X509Certificate };
}

export interface EncodedDocument {
  readonly descriptor: Descriptor;
  readonly bytes: Buffer;
}

/** The documents of an artefact. Its layers are the caller's. */
export interface EncodedArtefact {
  /** Names the manifest and has its signature. A reference of a registry names this index. */
  readonly index: EncodedDocument;
  readonly manifest: EncodedDocument;
  readonly config: EncodedDocument;
  /** `index.json` of a layout, which names the index. */
  readonly layoutIndex: Buffer;
}

/**
 * Writes the documents of an artefact. The same arguments give the same bytes.
 *
 * The signature cannot be in the manifest, whose digest it signs. An index has it, because registries and programs that copy
 * images keep an index as it is (skopeo: `copy --all`).
 */
export function encodeArtefact(init: EncodeArtefactInit): EncodedArtefact {
  const { description, platform, epochSeconds, layers, signer } = init;
  const config = document(mediaTypes.config, {
    architecture: platform.architecture,
    os: platform.os,
    created: new Date(epochSeconds * 1000).toISOString(),
    config: {},
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    [descriptionKey]: describedArtefact({ ...description, layers: layers.map(({ files }) => files) }),
  });
  const manifest = document(mediaTypes.manifest, {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: config.descriptor,
    layers: layers.map(({ descriptor }) => descriptor),
  });
  const { digest } = manifest.descriptor;
  const index = document(mediaTypes.index, {
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests: [
      {
        ...manifest.descriptor,
        platform,
        annotations: { [signatureAnnotation]: signManifest(digest, signer.key, signer.certificate) },
      },
    ],
  });
  const layoutIndex = json({
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests: [
      { ...index.descriptor, annotations: { 'org.opencontainers.image.ref.name': description.version } },
    ],
  });
  return { index, manifest, config, layoutIndex };
}

function document(mediaType: string, value: unknown): EncodedDocument {
  const bytes = json(value);
  return { descriptor: { mediaType, digest: digestOf(bytes), size: bytes.length }, bytes };
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
