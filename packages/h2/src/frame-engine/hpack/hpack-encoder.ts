import type { RawHeaders } from '../../raw-headers.ts';
import { staticFieldIndex, staticNameIndex } from './static-table.ts';

/** A table size update to 0. Source: RFC 7541, section 6.3. */
const emptyTableUpdate = 0x20;
/** A literal field without indexing has these first bits, all 0. Source: RFC 7541, section 6.2.2. */
const literalMask = 0x0f;
const indexedFlag = 0x80;
/** The most bytes that an integer takes here: lengths and indexes are far below 2^28. */
const maxIntegerBytes = 6;
/** Besides its characters, a field has at most an index or two lengths and a first byte. */
const maxFieldOverheadBytes = 2 * maxIntegerBytes + 1;
/** Below this length, a loop that copies characters is faster than a call of the runtime. */
const loopCharacters = 24;

/**
 * Fields whose values repeat from call to call: the last encoding of each is kept. The list is fixed, so no
 * peer fills the memory, and no field with a secret is in it.
 */
const repeatedFields: readonly string[] = [
  ':method',
  ':scheme',
  ':path',
  ':authority',
  ':status',
  'content-type',
  'te',
  'user-agent',
  'grpc-encoding',
  'grpc-accept-encoding',
  'accept-encoding',
  'grpc-status',
];

/** The largest encoding that is kept, in bytes. */
const maxKeptBytes = 256;

interface KeptField {
  value: string;
  bytes: Uint8Array;
}

/** An upper bound of the size of an encoded block, in bytes. */
export function encodedBound(fields: RawHeaders): number {
  let bytes = 1;
  for (let index = 0; index < fields.length; index += 1) bytes += (fields[index] as string).length;
  return bytes + (fields.length / 2) * maxFieldOverheadBytes;
}

/**
 * Encodes header blocks without a dynamic table and without Huffman codes. Blocks therefore depend on no
 * state: one encoder serves every connection, and a hop may forward them as they are.
 */
export class HpackEncoder {
  readonly #kept = new Map<string, KeptField>(
    repeatedFields.map((name) => [name, { value: '', bytes: new Uint8Array(0) }]),
  );

  /** Writes a block at `at` of `output`, which has room for `encodedBound(fields)`. Returns its end. */
  encode(fields: RawHeaders, output: Buffer, at: number): number {
    let end = at;
    for (let index = 0; index < fields.length; index += 2) {
      end = this.#field(fields[index] as string, fields[index + 1] as string, output, end);
    }
    return end;
  }

  /** Tells the peer's decoder that no table is used; due after it has lowered its table size. */
  dropTable(output: Buffer, at: number): number {
    output[at] = emptyTableUpdate;
    return at + 1;
  }

  #field(name: string, value: string, output: Buffer, at: number): number {
    const kept = this.#kept.get(name);
    if (kept === undefined) return writeField(name, value, output, at);
    const { bytes } = kept;
    if (kept.value === value && bytes.length > 0) {
      const { length } = bytes;
      for (let index = 0; index < length; index += 1) output[at + index] = bytes[index] as number;
      return at + length;
    }
    const end = writeField(name, value, output, at);
    if (end - at <= maxKeptBytes) {
      kept.value = value;
      kept.bytes = Uint8Array.prototype.slice.call(output, at, end);
    }
    return end;
  }
}

function writeField(name: string, value: string, output: Buffer, at: number): number {
  const index = staticNameIndex(name);
  if (index === 0) {
    output[at] = 0;
    return writeText(value, output, writeText(name, output, at + 1));
  }
  const whole = staticFieldIndex(index, value);
  if (whole !== 0) {
    output[at] = indexedFlag | whole;
    return at + 1;
  }
  return writeText(value, output, writeInteger(index, literalMask, output, at));
}

/** Writes a string of one character per byte, without Huffman code. */
function writeText(text: string, output: Buffer, at: number): number {
  const { length } = text;
  const start = writeInteger(length, 0x7f, output, at);
  if (length > loopCharacters) output.write(text, start, 'latin1');
  else for (let index = 0; index < length; index += 1) output[start + index] = text.charCodeAt(index);
  return start + length;
}

/** Writes an integer after first bits that are all 0. Source: RFC 7541, section 5.1. */
function writeInteger(value: number, mask: number, output: Buffer, at: number): number {
  if (value < mask) {
    output[at] = value;
    return at + 1;
  }
  output[at] = mask;
  let end = at + 1;
  let rest = value - mask;
  while (rest >= 0x80) {
    output[end++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  output[end++] = rest;
  return end;
}
