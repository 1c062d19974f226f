// Headers of tar archives. The package tar-stream, which the tests use to read them, is too limited to write
// them: only text as names, user ids below 262144, times before 2038 and no mode 0. Source: POSIX.1-2024, pax
// interchange format.
import { posix } from 'node:path';
import type { FileKind } from './file-mode.ts';

/** The size of a block; an archive consists of blocks. */
export const tarBlockBytes = 512;

export type TarKind = Exclude<FileKind, 'socket'>;

export interface TarEntry {
  readonly kind: TarKind;
  /** A relative path as a byte string; that of a folder ends with a slash. */
  readonly name: string;
  /** The twelve permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Size of the content that follows, in bytes; 0 for everything but files. */
  readonly size: number;
  /** Seconds since 1970, an integer. */
  readonly modifiedSeconds: number;
  /** Target of a symbolic link, as a byte string. */
  readonly link?: string;
  readonly device?: { readonly major: number; readonly minor: number } | undefined;
}

const typeFlags: Readonly<Record<TarKind, string>> = {
  file: '0',
  symlink: '2',
  'character-device': '3',
  'block-device': '4',
  directory: '5',
  fifo: '6',
};
const paxFlag = 'x';
const nameBytes = 100;
/** The length of the longest path on Linux. */
const pathBytes = 4096;
const ascii = /^[\0-\x7f]*$/;

/** The size of the largest header: two blocks, and between them pax records of a path, a link and four numbers. */
export const maxTarHeaderBytes = 3 * tarBlockBytes + 2 * pathBytes + tarBlockBytes;

/** The number of bytes from the end of the content to the end of its last block. */
export function tarPadding(size: number): number {
  return (tarBlockBytes - (size % tarBlockBytes)) % tarBlockBytes;
}

/**
 * Writes the header of an entry into `target`, which must have room for `maxTarHeaderBytes`: one block, or
 * more when a value does not fit into a block.
 *
 * @returns the size of the header in bytes, independent of the entry's size
 */
export function writeTarHeader(entry: TarEntry, target: Buffer): number {
  const records = paxRecords(entry);
  if (records === '') {
    writeBlock(target, entry, typeFlags[entry.kind]);
    return tarBlockBytes;
  }
  const { length } = records;
  const name = `PaxHeaders.0/${posix.basename(entry.name)}`;
  writeBlock(target, { ...entry, kind: 'file', name, link: '', device: undefined, size: length }, paxFlag);
  target.write(records, tarBlockBytes, 'latin1');
  const end = tarBlockBytes + length + tarPadding(length);
  target.fill(0, tarBlockBytes + length, end);
  writeBlock(target.subarray(end), entry, typeFlags[entry.kind]);
  return end + tarBlockBytes;
}

/** Encodes the values that do not fit into the header block as pax records. */
function paxRecords({ name, link = '', uid, gid, size, modifiedSeconds }: TarEntry): string {
  const numbersFit =
    fitsOctal(uid, 8) && fitsOctal(gid, 8) && fitsOctal(size, 12) && fitsOctal(modifiedSeconds, 12);
  if (numbersFit && isPlain(name) && isPlain(link)) return '';
  return [
    isPlain(name) ? '' : paxRecord('path', name),
    isPlain(link) ? '' : paxRecord('linkpath', link),
    fitsOctal(uid, 8) ? '' : paxRecord('uid', String(uid)),
    fitsOctal(gid, 8) ? '' : paxRecord('gid', String(gid)),
    fitsOctal(size, 12) ? '' : paxRecord('size', String(size)),
    fitsOctal(modifiedSeconds, 12) ? '' : paxRecord('mtime', String(modifiedSeconds)),
  ].join('');
}

function isPlain(text: string): boolean {
  return text.length <= nameBytes && ascii.test(text);
}

/** Encodes `<length> <key>=<value>\n`, where the length includes its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return `${length}${rest}`;
}

function writeBlock(block: Buffer, entry: TarEntry, flag: string): void {
  block.fill(0, 0, tarBlockBytes);
  // Programs that do not support pax records read these fields, so they are kept readable.
  const legible = (text: string) => (ascii.test(text) ? text : text.replace(/[\x80-\xff]/g, '_'));
  block.write(legible(entry.name), 0, nameBytes, 'latin1');
  writeOctal(block, entry.mode & 0o7777, 100, 8);
  writeOctal(block, entry.uid, 108, 8);
  writeOctal(block, entry.gid, 116, 8);
  writeOctal(block, entry.size, 124, 12);
  writeOctal(block, entry.modifiedSeconds, 136, 12);
  block.write(flag, 156, 'latin1');
  if (entry.link) block.write(legible(entry.link), 157, nameBytes, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  writeOctal(block, entry.device?.major ?? 0, 329, 8);
  writeOctal(block, entry.device?.minor ?? 0, 337, 8);
  writeOctal(block, checksum(block), 148, 7);
  block[155] = 0x20;
}

function fitsOctal(value: number, fieldBytes: number): boolean {
  return value >= 0 && value < 8 ** (fieldBytes - 1);
}

/** Writes octal digits and a NUL byte. A number that does not fit is written as a pax record, and the field is 0. */
function writeOctal(block: Buffer, value: number, offset: number, fieldBytes: number): void {
  let left = fitsOctal(value, fieldBytes) ? value : 0;
  for (let at = offset + fieldBytes - 2; at >= offset; at -= 1) {
    const rest = Math.floor(left / 8);
    block[at] = 0x30 + left - 8 * rest;
    left = rest;
  }
}

/** The sum of all bytes of the block, with spaces in the checksum field. */
function checksum(block: Buffer): number {
  let sum = 8 * 0x20;
  for (let at = 0; at < tarBlockBytes; at += 1) sum += block[at] as number;
  return sum;
}
