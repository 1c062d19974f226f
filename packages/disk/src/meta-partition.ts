// The binary format of the META partition: two copies of a large area, and two copies of a small one for older
// programs. Source: Talos v1.14: META partition.
import { createHash } from 'node:crypto';
import type { DiskWrite } from './partition-table.ts';

/** Values by key. Keys are 1 to 255. */
export type MetaEntries = ReadonlyMap<number, Uint8Array>;

export const metaPartitionBytes = 1 << 20;

const copyBytes = 1 << 18;
const headMagic = 0x5a4b3c2d;
const tailMagic = 0xa5b4c3d2;
const checksumAt = copyBytes - 36;
const checksumBytes = 32;
const entryHeadBytes = 8;

const smallBytes = 512;
const smallHeadMagic = 0x5a2d2fa5;
const smallTailMagic = 0xdd28bf64;
const smallChecksumSeed = 0xa3041767;
const smallTailAt = smallBytes - 4;
const smallPlaces = [metaPartitionBytes - 2 * smallBytes, metaPartitionBytes - smallBytes] as const;

/**
 * The writes that replace the values. Each must be on the disk before the next one begins: then at every moment one
 * whole copy is there, with the old or the new values.
 *
 * @throws Error for values that do not fit
 */
export function metaWrites(values: MetaEntries): DiskWrite[] {
  const copy = encodeCopy(values);
  const small = encodeSmall(values);
  return [
    { at: 0, bytes: copy },
    { at: copyBytes, bytes: copy },
    { at: smallPlaces[0], bytes: Buffer.concat([small, small]) },
  ];
}

/**
 * The values of a partition: those of the first copy that is whole. An empty map for a partition of zeros, also when the first write to it was
 * interrupted; undefined when there is something and no copy is whole.
 */
export function readMeta(partition: Buffer): MetaEntries | undefined {
  for (const at of [0, copyBytes]) {
    const values = decodeCopy(partition.subarray(at, at + copyBytes));
    if (values !== undefined) return values;
  }
  for (const at of smallPlaces) {
    const values = decodeSmall(partition.subarray(at, at + smallBytes));
    if (values !== undefined) return values;
  }
  // The first copy is written first: with zeros behind it, its first write ever was interrupted, and there were no values.
  return isZeros(partition.subarray(copyBytes)) ? new Map() : undefined;
}

/** Whether the values begin here, whole or not. */
export function hasMetaMark(head: Buffer): boolean {
  return head.readUInt32BE(0) === headMagic;
}

/**
 * The writes that give every copy the values that `readMeta()` returns, because the power failed during a write: a copy is not whole,
 * or has older values. Empty when there is nothing to mend. They must be on the disk before the values change: otherwise a second
 * failure could leave no whole copy, or bring the older values back. The copy that was read is not written.
 */
export function metaMends(partition: Buffer): DiskWrite[] {
  const values = readMeta(partition);
  if (values === undefined || isZeros(partition)) return [];
  return metaWrites(values).filter(({ at, bytes }) => {
    const found = partition.subarray(at, at + bytes.length);
    if (at >= smallPlaces[0])
      return smallPlaces.some(
        (place) =>
          !haveSameValues(
            decodeSmall(partition.subarray(place, place + smallBytes)),
            decodeSmall(bytes.subarray(0, smallBytes)),
          ),
      );
    return !haveSameValues(decodeCopy(found), values);
  });
}

const isZeros = (bytes: Buffer) => bytes.equals(Buffer.alloc(bytes.length));

/** Other programs may write the same values in another order. */
function haveSameValues(a: MetaEntries | undefined, b: MetaEntries | undefined): boolean {
  if (a === undefined || b === undefined || a.size !== b.size) return false;
  return [...a].every(([key, value]) => {
    const other = b.get(key);
    return other !== undefined && Buffer.from(value).equals(other);
  });
}

function encodeCopy(values: MetaEntries): Buffer {
  const copy = Buffer.alloc(copyBytes);
  copy.writeUInt32BE(headMagic, 0);
  let at = 4;
  for (const [key, value] of sorted(values)) {
    if (at + entryHeadBytes + value.length > checksumAt) throw new Error('META has no room for its values');
    copy.writeUInt32BE(key, at);
    copy.writeUInt32BE(value.length, at + 4);
    copy.set(value, at + entryHeadBytes);
    at += entryHeadBytes + value.length;
  }
  copy.writeUInt32BE(tailMagic, copyBytes - 4);
  checksumOf(copy).copy(copy, checksumAt);
  return copy;
}

function decodeCopy(copy: Buffer): MetaEntries | undefined {
  if (copy.length !== copyBytes || copy.readUInt32BE(0) !== headMagic) return undefined;
  if (copy.readUInt32BE(copyBytes - 4) !== tailMagic) return undefined;
  const stored = copy.subarray(checksumAt, checksumAt + checksumBytes);
  if (!checksumOf(copy).equals(stored)) return undefined;
  const values = new Map<number, Uint8Array>();
  for (let at = 4; at + entryHeadBytes <= checksumAt; ) {
    const [key, length] = [copy.readUInt32BE(at), copy.readUInt32BE(at + 4)];
    if (key === 0) break;
    at += entryHeadBytes + length;
    if (at > checksumAt || key > 255) return undefined;
    values.set(key, Buffer.from(copy.subarray(at - length, at)));
  }
  return values;
}

/** SHA-256 of a copy in which the checksum is zero. */
function checksumOf(copy: Buffer): Buffer {
  return createHash('sha256')
    .update(copy.subarray(0, checksumAt))
    .update(Buffer.alloc(checksumBytes))
    .update(copy.subarray(checksumAt + checksumBytes))
    .digest();
}

/** The keys of records that a machine keeps for itself. In a small copy they come first, so that they find room. */
const firstOwnKey = 0xf0;
const ownFirst = (values: MetaEntries) =>
  sorted(values).sort(([a], [b]) => Number(b >= firstOwnKey) - Number(a >= firstOwnKey));

/** Values that are longer than a byte can tell, or find no room, are left out: the large copies have them. */
function encodeSmall(values: MetaEntries): Buffer {
  const small = Buffer.alloc(smallBytes);
  small.writeUInt32LE(smallHeadMagic, 0);
  let at = 8;
  for (const [key, value] of ownFirst(values)) {
    if (value.length > 255 || at + 2 + value.length > smallTailAt) continue;
    small.writeUInt8(key, at);
    small.writeUInt8(value.length, at + 1);
    small.set(value, at + 2);
    at += 2 + value.length;
  }
  small.writeUInt32LE(smallTailMagic, smallTailAt);
  small.writeUInt32LE(smallChecksumOf(small), 4);
  return small;
}

function decodeSmall(small: Buffer): MetaEntries | undefined {
  if (small.length !== smallBytes || small.readUInt32LE(0) !== smallHeadMagic) return undefined;
  if (small.readUInt32LE(smallTailAt) !== smallTailMagic) return undefined;
  if (small.readUInt32LE(4) !== smallChecksumOf(small)) return undefined;
  const values = new Map<number, Uint8Array>();
  for (let at = 8; at + 2 <= smallTailAt; ) {
    const [key, length] = [small.readUInt8(at), small.readUInt8(at + 1)];
    if (key === 0) break;
    at += 2 + length;
    if (at > smallTailAt) return undefined;
    values.set(key, Buffer.from(small.subarray(at - length, at)));
  }
  return values;
}

function smallChecksumOf(small: Buffer): number {
  let sum = smallChecksumSeed;
  for (let at = 8; at < smallTailAt; at += 4) sum = (sum - small.readUInt32LE(at)) >>> 0;
  return sum;
}

const sorted = (values: MetaEntries) => [...values].sort(([a], [b]) => a - b);
