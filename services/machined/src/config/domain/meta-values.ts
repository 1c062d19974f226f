// Computes what fits in the META partition, so that a process node accepts the same values as a machine.
// Source: Talos v1.14: META partition.
import { Fault } from '@nodewright/fault';

/** META values by key. They are bytes, although most are text. */
export type MetaValues = ReadonlyMap<number, Uint8Array>;

/** Space for entries in one copy of META: its size without the magic numbers and the checksum. */
const roomBytes = 262_104;
/** The header of an entry: key and size, four bytes each. */
const entryHeadBytes = 8;
/** An entry with this key marks the end of the list; entries after it would be lost. */
const endKey = 0;
const largestKey = 255;

/** @throws Fault `invalid-argument` when the key is not a byte */
export function checkMetaKey(key: number): void {
  if (!Number.isInteger(key) || key < 0 || key > largestKey) {
    throw new Fault('invalid-argument', 'key must be a uint8');
  }
}

/** What the system keeps in META for itself. Source: Talos v1.14: META tags. */
const systemKeys: ReadonlyMap<number, string> = new Map([
  [0x06, 'upgrade'],
  [0x07, 'staged upgrade image'],
  [0x08, 'staged upgrade options'],
  [0x09, 'STATE encryption'],
  [0x11, 'disk image boot loader'],
  // Our own.
  [0xfc, 'record of upgrades'],
  [0xfd, 'places of volumes'],
  [0xfe, 'reset'],
]);

/**
 * Checks a key that a caller wants to write or delete.
 *
 * @throws Fault `invalid-argument` when the key is not a byte or belongs to the system
 */
export function checkCallersMetaKey(key: number): void {
  checkMetaKey(key);
  const use = systemKeys.get(key);
  if (use !== undefined) {
    throw new Fault(
      'invalid-argument',
      `key ${metaKeyId(key)} (${use}) belongs to the system: it can neither be written nor deleted`,
    );
  }
}

/** Returns the values with one added or replaced. @throws Fault when the key is invalid or META is full */
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
      `meta write failed: META has room for ${roomBytes} bytes, and with this value of ${value.length} bytes it would hold ${usedBytes}`,
    );
  }
  return next;
}

/** Returns the values without one key. @throws Fault `not-found` when the key has no value */
export function withoutMetaValue(values: MetaValues, key: number): MetaValues {
  checkMetaKey(key);
  const next = new Map(values);
  if (!next.delete(key)) throw new Fault('not-found', 'meta key not found');
  return next;
}

/** The id of a key in resources, such as `0x0a`. */
export function metaKeyId(key: number): string {
  return `0x${key.toString(16).padStart(2, '0')}`;
}
