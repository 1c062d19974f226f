// The parts of tar that images need: reading the archive that an engine saves, and giving every entry the
// same time.
const blockBytes = 512;

export interface TarEntry {
  readonly name: string;
  /** `0` or NUL file, `2` symbolic link, `5` folder; see POSIX ustar. */
  readonly type: string;
  readonly linkName: string;
  readonly header: Buffer;
  readonly data: Buffer;
}

/** The entries in the order of the archive, extended headers included. The data are views, not copies. */
export function* readTar(archive: Buffer): Generator<TarEntry> {
  for (let offset = 0; offset + blockBytes <= archive.length; ) {
    const header = archive.subarray(offset, offset + blockBytes);
    if (header[0] === 0) return;
    const size = readNumber(header.subarray(124, 136));
    const start = offset + blockBytes;
    const prefix = readText(header.subarray(345, 500));
    const name = readText(header.subarray(0, 100));
    yield {
      name: prefix === '' ? name : `${prefix}/${name}`,
      type: String.fromCharCode(header[156] ?? 0),
      linkName: readText(header.subarray(157, 257)),
      header,
      data: archive.subarray(start, start + size),
    };
    offset = start + padded(size);
  }
}

/** The same archive with every time set to `epochSeconds`, in pieces. */
export function withTimes(archive: Buffer, epochSeconds: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (const { type, header, data } of readTar(archive)) {
    const kept = type === 'x' || type === 'g' ? withoutTimeRecords(data) : data;
    if (kept.length === 0 && data.length > 0) continue;
    const copy = Buffer.from(header);
    copy.write(octal(kept.length, 11), 124, 'latin1');
    copy.write(octal(epochSeconds, 11), 136, 'latin1');
    pieces.push(...entryPieces(copy, kept));
  }
  pieces.push(Buffer.alloc(2 * blockBytes));
  return pieces;
}

/** A file, symbolic link or folder to archive. Its owner is root. */
export interface TarItem {
  /** At most 255 bytes, of which the last 100 begin a name. */
  readonly name: string;
  /** Default: that of a plain file. */
  readonly mode?: number;
  readonly content:
    | { readonly kind: 'file'; readonly data: readonly Buffer[] }
    | { readonly kind: 'link'; readonly target: string }
    | { readonly kind: 'folder' };
}

/** A plain archive of files, in pieces. */
export function writeTar(files: Iterable<readonly [name: string, data: readonly Buffer[]]>): Buffer[] {
  return archiveItems([...files].map(([name, data]) => ({ name, content: { kind: 'file', data } })));
}

/**
 * An archive in the format of POSIX ustar, in pieces.
 *
 * @param epochSeconds the time of every item, Unix time
 * @throws Error that names an item whose name or target does not fit into the format
 */
export function archiveItems(items: readonly TarItem[], epochSeconds = 0): Buffer[] {
  const pieces = items.flatMap((item) => itemPieces(item, epochSeconds));
  pieces.push(Buffer.alloc(2 * blockBytes));
  return pieces;
}

const typeFlags = { file: '0', link: '2', folder: '5' } as const;
const nameBytes = 100;
const prefixBytes = 155;

function itemPieces({ name, mode = 0o644, content }: TarItem, epochSeconds: number): Buffer[] {
  const data = content.kind === 'file' ? content.data : [];
  const size = data.reduce((sum, { length }) => sum + length, 0);
  const target = content.kind === 'link' ? content.target : '';
  const { prefix, rest } = splitName(content.kind === 'folder' ? `${name}/` : name);
  if (Buffer.byteLength(target) > nameBytes)
    throw new Error(`the target of ${name} is too long for an archive`);
  const header = Buffer.alloc(blockBytes);
  header.write(rest, 0);
  for (const [offset, value, digits] of [
    [100, mode, 7],
    [108, 0, 7],
    [116, 0, 7],
    [124, size, 11],
    [136, epochSeconds, 11],
  ] as const)
    header.write(octal(value, digits), offset, 'latin1');
  header.write(typeFlags[content.kind], 156, 'latin1');
  header.write(target, 157);
  header.write('ustar\u000000', 257, 'latin1');
  header.write(prefix, 345);
  writeChecksum(header);
  return [header, ...data, Buffer.alloc(padded(size) - size)];
}

/** A long name is split at a slash; readers join both parts with one. */
function splitName(name: string): { prefix: string; rest: string } {
  if (Buffer.byteLength(name) <= nameBytes) return { prefix: '', rest: name };
  for (let at = name.indexOf('/'); at > 0; at = name.indexOf('/', at + 1)) {
    const [prefix, rest] = [name.slice(0, at), name.slice(at + 1)];
    if (rest !== '' && Buffer.byteLength(rest) <= nameBytes && Buffer.byteLength(prefix) <= prefixBytes)
      return { prefix, rest };
  }
  throw new Error(`${name} is too long for an archive`);
}

function entryPieces(header: Buffer, data: Buffer): Buffer[] {
  writeChecksum(header);
  return [header, data, Buffer.alloc(padded(data.length) - data.length)];
}

/** Records of extended headers are `<length> <key>=<value>\n`, the length being that of the whole record. */
function withoutTimeRecords(data: Buffer): Buffer {
  const kept: Buffer[] = [];
  for (let offset = 0; offset < data.length; ) {
    const length = Number.parseInt(data.toString('latin1', offset, data.indexOf(0x20, offset)), 10);
    if (!(length > 0)) throw new Error('a layer holds an extended header that cannot be read');
    const record = data.subarray(offset, offset + length);
    if (!/^\d+ (?:[acm]time|LIBARCHIVE\.creationtime)=/.test(record.toString('latin1'))) kept.push(record);
    offset += length;
  }
  return Buffer.concat(kept);
}

function writeChecksum(header: Buffer): void {
  header.fill(' ', 148, 156);
  let sum = 0;
  for (const byte of header) sum += byte;
  header.write(`${octal(sum, 6)}\0 `, 148, 'latin1');
}

const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
const padded = (size: number) => Math.ceil(size / blockBytes) * blockBytes;

function readText(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? field.length : end);
}

/** Octal text, or binary when the first bit is set (files above 8 GiB). */
function readNumber(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) !== 0) return Number(field.readBigUInt64BE(field.length - 8));
  return Number.parseInt(readText(field).trim() || '0', 8);
}
