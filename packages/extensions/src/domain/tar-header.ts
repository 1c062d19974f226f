// Headers of tar archives, read strictly: two programs must not find different files in one archive, so what is not clear is
// refused. A library would read an extended header of any size into memory.
// Source: POSIX.1-2024, pax; GNU tar, basic tar format.
import type { EntryKind } from './extension-entry.ts';
import { damaged, refused } from './refused.ts';

export const tarBlockBytes = 512;

/** What a block says about the entry behind it. */
export interface TarHeader {
  readonly name: string;
  readonly target: string;
  readonly mode: number;
  readonly sizeBytes: number;
  readonly type: EntryKind | 'extended header' | 'global header' | 'long name' | 'long target';
}

const types: Readonly<Record<string, TarHeader['type']>> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '1': 'hard link',
  '2': 'symbolic link',
  '3': 'character device',
  '4': 'block device',
  '5': 'folder',
  '6': 'named pipe',
  S: 'sparse file',
  x: 'extended header',
  g: 'global header',
  L: 'long name',
  K: 'long target',
};

/**
 * Reads a block. Undefined for one of zeros, two of which end an archive.
 *
 * @throws Fault `data-loss` for a block that is no header
 */
export function parseTarHeader(block: Uint8Array): TarHeader | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  const [signed, unsigned] = checksumsOf(block);
  const checksum = numberAt(block, 148, 8);
  if (checksum !== unsigned && checksum !== signed) throw damaged('a tar header has a wrong checksum');
  const name = textAt(block, 0, 100);
  // GNU tar has other fields where POSIX has the first part of a long name.
  const prefix = latin1(block, 257, 6) === 'ustar\0' ? textAt(block, 345, 155) : '';
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    target: textAt(block, 157, 100),
    mode: numberAt(block, 100, 8),
    sizeBytes: numberAt(block, 124, 12),
    type: types[latin1(block, 156, 1)] ?? 'entry of an unknown type',
  };
}

/** What extended headers say about the next entry. */
export interface ExtendedHeader {
  readonly path?: string;
  readonly linkpath?: string;
  readonly size?: number;
  readonly isSparse: boolean;
  /** Names of extended attributes. */
  readonly attributes: readonly string[];
}

/** @throws Fault `data-loss` for records that cannot be read */
export function parseExtendedHeader(bytes: Uint8Array): ExtendedHeader {
  const found: { path?: string; linkpath?: string; size?: number } = {};
  const attributes: string[] = [];
  let isSparse = false;
  for (const [key, value] of recordsOf(bytes)) {
    const [, attribute] = /^(?:SCHILY|LIBARCHIVE)\.xattr\.(.*)$/s.exec(key) ?? [];
    if (key === 'path' || key === 'linkpath') found[key] = value;
    else if (key === 'size') found.size = sizeFrom(value);
    else if (key.startsWith('GNU.sparse.')) isSparse = true;
    else if (attribute !== undefined) attributes.push(attribute);
  }
  return { ...found, isSparse, attributes };
}

/** @throws Fault `invalid-argument` when it changes more than times and comments: it would count for all entries behind it */
export function checkGlobalHeader(bytes: Uint8Array): void {
  const harmless = /^(?:comment|[acm]time|[gu](?:id|name))$/;
  const other = recordsOf(bytes).find(([key]) => !harmless.test(key));
  if (other !== undefined) throw refused('its archive has a global header that changes names or sizes');
}

/** `<length> <key>=<value>\n`, the length being that of the whole record. */
function recordsOf(bytes: Uint8Array): (readonly [key: string, value: string])[] {
  const records: (readonly [string, string])[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = Number(/^[1-9]\d{0,6}$/.exec(latin1(bytes, at, space - at))?.[0] ?? Number.NaN);
    const end = at + length;
    const equals = bytes.indexOf(0x3d, space);
    if (space < 0 || !(end <= bytes.length) || equals < 0 || equals >= end || bytes[end - 1] !== 0x0a)
      throw damaged('an extended tar header cannot be read');
    records.push([utf8(bytes.subarray(space + 1, equals)), utf8(bytes.subarray(equals + 1, end - 1))]);
    at = end;
  }
  return records;
}

function sizeFrom(text: string): number {
  const size = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(size)) throw damaged('an extended tar header has a size that cannot be read');
  return size;
}

/** The bytes of the block, those of the checksum itself as spaces; some old programs took bytes for signed. */
function checksumsOf(block: Uint8Array): readonly [signed: number, unsigned: number] {
  let [signed, unsigned] = [0, 0];
  for (const [at, byte] of block.entries()) {
    const counted = at >= 148 && at < 156 ? 0x20 : byte;
    unsigned += counted;
    signed += counted > 127 ? counted - 256 : counted;
  }
  return [signed, unsigned];
}

/** Octal text, or binary when the first bit is set. */
function numberAt(block: Uint8Array, offset: number, length: number): number {
  const field = block.subarray(offset, offset + length);
  if (((field[0] ?? 0) & 0x80) !== 0) {
    const value = field.reduce((sum, byte, at) => sum * 256 + (at === 0 ? byte & 0x7f : byte), 0);
    if (!Number.isSafeInteger(value)) throw damaged('a tar header has a number that is too large');
    return value;
  }
  const text = latin1(block, offset, length)
    .replace(/[\0 ]+$/, '')
    .replace(/^ +/, '');
  if (!/^[0-7]*$/.test(text)) throw damaged('a tar header has a number that cannot be read');
  return Number.parseInt(text || '0', 8);
}

function textAt(block: Uint8Array, offset: number, length: number): string {
  const field = block.subarray(offset, offset + length);
  const end = field.indexOf(0);
  return utf8(end < 0 ? field : field.subarray(0, end));
}

/** The text of a long name of GNU tar, which ends with a NUL. */
export function longText(bytes: Uint8Array): string {
  return textAt(bytes, 0, bytes.length);
}

const latin1 = (bytes: Uint8Array, offset: number, length: number) =>
  String.fromCharCode(...bytes.subarray(offset, offset + Math.min(Math.max(length, 0), tarBlockBytes)));

/** Bytes that are not UTF-8 become the replacement character, which no path may have. */
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
const utf8 = (bytes: Uint8Array) => decoder.decode(bytes);
