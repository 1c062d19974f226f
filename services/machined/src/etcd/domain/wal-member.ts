// Finds out which member the write-ahead log of an etcd belongs to: its second record is a message with the id of the member.
// Source: etcd, write-ahead log.

/** Each file of the log begins with two records: the checksum of the file before, and the metadata. */
const recordsAtStart = 2;
const metadataType = 1n;
/** A file of the log needs no more bytes than these for its metadata. */
export const walStartBytes = 4096;

/**
 * The id of the member that writes this log; `undefined` for bytes that are not the start of a log. Checksums are not compared: a wrong
 * id is that of no member.
 *
 * @param start the first bytes of a file of the log, `walStartBytes` at most
 */
export function memberIdInWal(start: Uint8Array): bigint | undefined {
  let at = 0;
  for (let record = 0; record < recordsAtStart; record += 1) {
    if (at + 8 > start.length) return undefined;
    const length = new DataView(start.buffer, start.byteOffset + at, 8).getBigUint64(0, true);
    // The highest byte holds how many bytes fill the record up to a multiple of eight.
    const size = length & 0xff_ffff_ffff_ffffn;
    const padding = (length & (1n << 63n)) === 0n ? 0 : Number((length >> 56n) & 7n);
    if (size > BigInt(start.length - at - 8)) return undefined;
    const fields = fieldsOf(start.subarray(at + 8, at + 8 + Number(size)));
    const data = fields?.get(3);
    if (fields?.get(1) === metadataType && data instanceof Uint8Array) {
      const id = fieldsOf(data)?.get(1);
      return typeof id === 'bigint' && id !== 0n ? id : undefined;
    }
    at += 8 + Number(size) + padding;
  }
  return undefined;
}

/** The fields of a protobuf message that has numbers and bytes only; `undefined` for anything else. */
function fieldsOf(bytes: Uint8Array): Map<number, bigint | Uint8Array> | undefined {
  const fields = new Map<number, bigint | Uint8Array>();
  let at = 0;
  const number = () => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) return undefined;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    return undefined;
  };
  while (at < bytes.length) {
    const tag = number();
    const value = number();
    if (tag === undefined || value === undefined) return undefined;
    const [field, wireType] = [Number(tag >> 3n), tag & 7n];
    if (wireType === 0n) fields.set(field, value);
    else if (wireType === 2n && value <= BigInt(bytes.length - at)) {
      fields.set(field, bytes.subarray(at, at + Number(value)));
      at += Number(value);
    } else return undefined;
  }
  return fields;
}
