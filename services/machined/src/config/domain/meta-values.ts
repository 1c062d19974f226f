// What fits into META: the arithmetic of the partition, so that a node of processes takes what a machine takes.
// Source: Talos v1.14: META partition.
import { Fault } from '@nodewright/fault';

/** Values by key. Bytes, though most are text. */
export type MetaValues = ReadonlyMap<number, Uint8Array>;

/** Room for entries in one copy: its size without the magic numbers and the checksum. */
const roomBytes = 262_104;
/** Key and size of an entry, four bytes each. */
const entryHeadBytes = 8;
/** An entry with this key ends the list: whatever came after it would be lost. */
const endKey = 0;
const largestKey = 255;

/** @throws Fault `invalid-argument` */
export function checkMetaKey(key: number): void {
  if (!Number.isInteger(key) || key < 0 || key > largestKey) {
    throw new Fault('invalid-argument', 'key must be a uint8');
  }
}

/** The values with this one. @throws Fault when the key cannot be used or there is no room */
export function withMetaValue(values: MetaValues, key: number, value: Uint8Array): MetaValues {
  checkMetaKey(key);
  if (key === endKey) {
    throw new Fault('invalid-argument', `key ${metaKeyId(key)} is reserved: it marks the end of META`);
  }
  const next = new Map(values).set(key, value);
  const usedBytes = [...next.values()].reduce((sum, { length }) => sum + entryHeadBytes + length, 0);
  if (usedBytes > roomBytes) {
    throw new Fault(
      'resource-exhausted',
      `meta write failed: META has room for ${roomBytes} bytes, and with this value of ${value.length} it would hold ${usedBytes}`,
    );
  }
  return next;
}

/** The values without this one. @throws Fault `not-found` when there is none */
export function withoutMetaValue(values: MetaValues, key: number): MetaValues {
  checkMetaKey(key);
  const next = new Map(values);
  if (!next.delete(key)) throw new Fault('not-found', 'meta key not found');
  return next;
}

/** How resources name a key: `0x0a`. */
export function metaKeyId(key: number): string {
  return `0x${key.toString(16).padStart(2, '0')}`;
}
