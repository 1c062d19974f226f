// A set of system extensions in one file: a tar archive with the description of the set, the signatures, the hash tree and the
// squashfs, in this order. `docs/decisions/extensions-on-a-node.md` says why.
import { type VerityTreeInit, verityTreeBytes } from '@nodewright/disk';
import { type ExtensionMetadata, metadataFrom } from './extension-manifest.ts';
import { damaged } from './refused.ts';

const mebibyte = 1 << 20;

/** The names in the archive, in their order. */
export const setFiles = {
  description: 'description.json',
  /** Signature of the bytes of the description. */
  descriptionSignature: 'description.p7s',
  /** Signature of the root hash in hex, for the kernel. */
  rootHashSignature: 'roothash.p7s',
  tree: 'set.verity',
  squashfs: 'set.squashfs',
} as const;

/** What a set may have at most. */
export const extensionSetLimits = {
  /** The BOOT of old disks has 400 MiB, for two images and for two sets of one of them. */
  squashfsBytes: 96 * mebibyte,
  descriptionBytes: mebibyte,
} as const;

/** The most bytes of a set: its squashfs and hash tree, the description, and what a tar archive adds. */
export const setArchiveBytes =
  extensionSetLimits.squashfsBytes + verityTreeBytes(extensionSetLimits.squashfsBytes) + 2 * mebibyte;

/**
 * What the hash tree of a set is computed with. The root hash covers the salt and not the UUID, so the UUID is the beginning of the
 * salt, and a change of it is noticed, too.
 */
export const setTreeInit = (salt: Buffer): VerityTreeInit => ({ salt, uuid: salt.subarray(0, 16) });

/** A layer of a set, which names one of its extensions. */
export interface SetLayer {
  readonly image: string;
  readonly metadata: ExtensionMetadata;
}

/** What a set says about itself. */
export interface ExtensionSetDescription {
  /** Of the hash tree of the set, in hex. It is the name of the set, too. */
  readonly rootHash: string;
  /** Of the root file system of the image that the set was built for, in hex. */
  readonly imageRootHash: string;
  readonly squashfsBytes: number;
  /** From the lowest to the uppermost. */
  readonly layers: readonly SetLayer[];
}

const format = 1;
const hashForm = /^[0-9a-f]{64}$/;

/** The bytes of the description of a set, which are signed. */
export const encodeSetDescription = (description: ExtensionSetDescription): Buffer =>
  Buffer.from(`${JSON.stringify({ version: format, ...description })}\n`);

/**
 * Reads the description of a set.
 *
 * @throws Fault `data-loss` for bytes that `encodeSetDescription()` did not write
 */
export function decodeSetDescription(bytes: Uint8Array): ExtensionSetDescription {
  const { version, rootHash, imageRootHash, squashfsBytes, layers } = fieldsOf(parseJson(bytes));
  if (version !== format) throw damaged(`${setFiles.description} is of another version than ${format}`);
  if (!isHash(rootHash)) throw damaged(`${setFiles.description} has no root hash`);
  if (!isHash(imageRootHash)) throw damaged(`${setFiles.description} has no root hash of an image`);
  if (typeof squashfsBytes !== 'number' || !Number.isSafeInteger(squashfsBytes) || squashfsBytes <= 0)
    throw damaged(`${setFiles.description} has no size`);
  if (!Array.isArray(layers)) throw damaged(`${setFiles.description} has no list of layers`);
  return { rootHash, imageRootHash, squashfsBytes, layers: layers.map(layerFrom) };
}

function layerFrom(value: unknown): SetLayer {
  const { image, metadata } = fieldsOf(value);
  if (typeof image !== 'string') throw damaged(`${setFiles.description} has a layer without a name`);
  return { image, metadata: metadataFrom(fieldsOf(metadata)) };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw damaged(`${setFiles.description} is not JSON`);
  }
}

const isHash = (value: unknown): value is string => typeof value === 'string' && hashForm.test(value);

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
