import type { FileHandle } from 'node:fs/promises';
import { Fault } from '@nodewright/fault';

/** A file of an archive: where its content is. */
export interface TarEntry {
  readonly name: string;
  /** Offset of its first byte in the archive. */
  readonly start: number;
  /** Bytes. */
  readonly size: number;
}

const blockBytes = 512;
/** For the long names of the next entry. */
const extensionLimitBytes = 64 * 1024;
const entryLimit = 100_000;

/**
 * Reads the headers of an uncompressed tar archive, and skips the contents. Only regular files are returned, also those with long names.
 * Source: POSIX.1-2024, pax.
 *
 * @throws Fault `data-loss` for an archive that is damaged or cut
 */
export async function* tarEntries(file: FileHandle, archiveBytes: number): AsyncGenerator<TarEntry> {
  let extended: ReadonlyMap<string, string> = new Map();
  let count = 0;
  for (let position = 0; position + blockBytes <= archiveBytes; ) {
    const header = await readExactly(file, position, blockBytes);
    if (header.every((byte) => byte === 0)) return;
    checkSum(header, position);
    const type = String.fromCharCode(header[156] ?? 0);
    const start = position + blockBytes;
    const size = Number(extended.get('size') ?? numberAt(header, 124, 12));
    if (!Number.isSafeInteger(size) || size < 0 || start + size > archiveBytes)
      throw damaged(`the entry at ${position} is longer than the archive`);
    position = start + Math.ceil(size / blockBytes) * blockBytes;
    count += 1;
    if (count > entryLimit) throw damaged(`it has more than ${entryLimit} entries`);
    if (type === 'x') {
      if (size > extensionLimitBytes) throw damaged(`the extended header at ${start} is too long`);
      extended = recordsOf(await readExactly(file, start, size));
      continue;
    }
    if (type === '0' || type === '\0') yield { name: extended.get('path') ?? nameOf(header), start, size };
    extended = new Map();
  }
}

async function readExactly(file: FileHandle, position: number, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size);
  for (let done = 0; done < size; ) {
    const { bytesRead } = await file.read(buffer, done, size - done, position + done);
    if (bytesRead === 0) throw damaged('it is shorter than it was');
    done += bytesRead;
  }
  return buffer;
}

function checkSum(header: Buffer, position: number): void {
  let sum = 0;
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 0x20 : byte;
  if (sum !== numberAt(header, 148, 8)) throw damaged(`the header at ${position} has another checksum`);
}

/** An octal number, or, after a byte 0x80, a binary one. */
function numberAt(header: Buffer, offset: number, length: number): number {
  if (header[offset] === 0x80) return Number(header.readBigUInt64BE(offset + length - 8));
  const text = textAt(header, offset, length).trim();
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
}

function textAt(header: Buffer, offset: number, length: number): string {
  const field = header.subarray(offset, offset + length);
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? length : end).toString();
}

function nameOf(header: Buffer): string {
  const prefix = textAt(header, 257, 5) === 'ustar' ? textAt(header, 345, 155) : '';
  const name = textAt(header, 0, 100);
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** `<length> <key>=<value>\n`, where the length is that of the whole record. */
function recordsOf(bytes: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let position = 0; position < bytes.length; ) {
    const space = bytes.indexOf(0x20, position);
    const length = Number(bytes.subarray(position, space).toString());
    const end = position + length;
    if (space < 0 || !Number.isSafeInteger(length) || end <= space || end > bytes.length)
      throw damaged('an extended header has a record of another length than it says');
    const record = bytes.subarray(space + 1, end - 1).toString();
    const equals = record.indexOf('=');
    if (equals > 0) records.set(record.slice(0, equals), record.slice(equals + 1));
    position = end;
  }
  return records;
}

const damaged = (why: string) => new Fault('data-loss', `the tar archive cannot be read: ${why}`);
