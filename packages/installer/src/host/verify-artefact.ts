import type { X509Certificate } from 'node:crypto';
import {
  damaged,
  decompressionOf,
  type ImageContent,
  readDocument,
  refused,
  showBytes,
  shown,
} from '@nodewright/extensions/images';
import { Fault } from '@nodewright/fault';
import {
  type Descriptor,
  formatPlatform,
  type ImageManifest,
  isIndexType,
  isManifestType,
  matchesPlatform,
  type Platform,
  parseImageConfig,
  parseIndex,
  parseManifest,
  selectManifest,
} from '@nodewright/oci';
import { type ArtefactDescription, parseDescription } from '../domain/artefact-description.ts';
import { artefactLimits } from '../domain/artefact-limits.ts';
import { checkSignature } from '../domain/artefact-signature.ts';

export interface ArtefactTrust {
  /** The artefact has to be signed with the key of one of them: those of the running root. */
  readonly certificates: readonly X509Certificate[];
  /** Of the node. */
  readonly platform: Platform;
}

/** An artefact whose manifest is signed. Its layers have not been read. */
export interface VerifiedArtefact {
  readonly description: ArtefactDescription;
  /** Names the artefact. */
  readonly manifestDigest: string;
  readonly layers: readonly Descriptor[];
}

/**
 * Checks all that the documents of an artefact say: its signature first, so that nothing unsigned is interpreted but the index that
 * leads to the manifest. Nothing of the layers is read.
 *
 * @throws Fault `permission-denied` for an artefact that is not signed with one of the keys, `failed-precondition` for one of
 * another architecture, `invalid-argument` for one that exceeds a limit, `data-loss` for one that was changed
 */
export async function verifyArtefact(
  content: ImageContent,
  { certificates, platform }: ArtefactTrust,
): Promise<VerifiedArtefact> {
  const found = await findManifest(content, platform);
  checkSignature(found, certificates);
  const manifest = parseManifest(await readDocument(content, found));
  checkLayers(manifest);
  const config = await readDocument(content, manifest.config);
  const { diffIds, platform: ofImage } = parseImageConfig(config);
  if (!matchesPlatform(ofImage, platform)) throw otherPlatform([ofImage], platform);
  const description = parseDescription(config);
  const counts = [diffIds.length, description.layers.length];
  if (counts.some((count) => count !== manifest.layers.length))
    throw damaged(`the artefact has ${manifest.layers.length} layers, and describes ${counts.join(' and ')}`);
  return { description, manifestDigest: found.digest, layers: manifest.layers };
}

async function findManifest(content: ImageContent, platform: Platform): Promise<Descriptor> {
  let descriptor = await content.root();
  for (let depth = 0; depth < artefactLimits.indexDepth; depth += 1) {
    if (isManifestType(descriptor.mediaType)) return descriptor;
    if (!isIndexType(descriptor.mediaType))
      throw refused(`${shown(descriptor.mediaType)} is not the type of an image`);
    const { manifests } = parseIndex(await readDocument(content, descriptor));
    const next = selectManifest(manifests, platform);
    if (next === undefined)
      throw otherPlatform(
        manifests.flatMap((one) => one.platform ?? []),
        platform,
      );
    descriptor = next;
  }
  throw refused(`more than ${artefactLimits.indexDepth - 1} indexes lead to the artefact`);
}

function otherPlatform(found: readonly Platform[], platform: Platform): Fault {
  const listed = found.slice(0, 4).map((one) => shown(formatPlatform(one)));
  return new Fault(
    'failed-precondition',
    `the artefact is for ${listed.join(', ') || 'no platform'}, and this node is ${formatPlatform(platform)}`,
  );
}

function checkLayers({ layers }: ImageManifest): void {
  if (layers.length === 0) throw refused('the artefact has no layer');
  if (layers.length > artefactLimits.layers)
    throw refused(`the artefact has ${layers.length} layers, more than ${artefactLimits.layers}`);
  const other = layers.find(({ mediaType }) => decompressionOf(mediaType) === undefined);
  if (other !== undefined)
    throw refused(`${shown(other.mediaType)} is not the type of a layer that can be read`);
  const packedBytes = layers.reduce((sum, { size }) => sum + size, 0);
  if (packedBytes > artefactLimits.packedBytes)
    throw refused(
      `the artefact has ${showBytes(packedBytes)}, more than ${showBytes(artefactLimits.packedBytes)}`,
    );
}
