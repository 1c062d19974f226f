export interface TarEntry {
  readonly name: string;
  readonly type: string;
  readonly mode: number;
  /** The target of a symbolic link; else empty. */
  readonly link: string;
  readonly content: Buffer;
}

const blockBytes = 512;
const types: Readonly<Record<string, string>> = {
  '\0': 'file',
  '0': 'file',
  '1': 'link',
  '2': 'symlink',
  '3': 'character-device',
  '4': 'block-device',
  '5': 'directory',
  '6': 'fifo',
};

/**
 * A minimal reader for POSIX ustar with pax records and GNU long names. Like other readers, it accepts an
 * archive without padding and end blocks.
 */
export function readTar(archive: Buffer): TarEntry[] {
  const entries: TarEntry[] = [];
  let extra = new Map<string, string>();
  for (let offset = 0; offset + blockBytes <= archive.length; ) {
    const header = archive.subarray(offset, offset + blockBytes);
    if (header.every((byte) => byte === 0)) break;
    assertChecksum(header);
    const size = Number(extra.get('size') ?? numberAt(header, 124, 12));
    const content = archive.subarray(offset + blockBytes, offset + blockBytes + size);
    if (content.length < size) throw new Error(`the archive ends in the middle of "${nameOf(header)}"`);
    offset += blockBytes + Math.ceil(size / blockBytes) * blockBytes;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'x') extra = new Map([...extra, ...paxRecords(content)]);
    else if (type === 'L') extra.set('path', textOf(content));
    else if (type === 'K') extra.set('linkpath', textOf(content));
    else if (type !== 'g') {
      entries.push({
        name: extra.get('path') ?? nameOf(header),
        type: types[type] ?? `type ${type}`,
        mode: numberAt(header, 100, 8),
        link: extra.get('linkpath') ?? textOf(header.subarray(157, 257)),
        content,
      });
      extra = new Map();
    }
  }
  return entries;
}

function textOf(field: Buffer): string {
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? field.length : end).toString('utf8');
}

function nameOf(header: Buffer): string {
  const isPosix = header.subarray(257, 263).toString('latin1') === 'ustar\0';
  const prefix = isPosix ? textOf(header.subarray(345, 500)) : '';
  const name = textOf(header.subarray(0, 100));
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Octal digits, or the bytes of the number itself where it is too large for them. */
function numberAt(header: Buffer, offset: number, length: number): number {
  const field = header.subarray(offset, offset + length);
  if (((field[0] ?? 0) & 0x80) === 0) return Number.parseInt(textOf(field).trim() || '0', 8);
  return field.subarray(1).reduce((number, byte) => number * 256 + byte, 0);
}

function assertChecksum(header: Buffer): void {
  const told = numberAt(header, 148, 8);
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0);
  if (sum !== told) throw new Error(`the header of "${nameOf(header)}" has the checksum ${told}, not ${sum}`);
}

/** Lines `<length> <key>=<value>`; the length counts the bytes of the whole line. */
function paxRecords(content: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let offset = 0; offset < content.length; ) {
    const length = Number.parseInt(content.subarray(offset, offset + 20).toString('latin1'), 10);
    if (!(length > 0)) break;
    const line = content.subarray(offset, offset + length - 1).toString('utf8');
    const [, key = '', value = ''] = /^\d+ ([^=]+)=(.*)$/s.exec(line) ?? [];
    records.set(key, value);
    offset += length;
  }
  return records;
}
