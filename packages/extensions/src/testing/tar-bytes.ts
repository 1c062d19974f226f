// Tar archives of tests: also such that no program would write.

/** An entry as it is written, right or wrong. */
export interface WrittenEntry {
  readonly name: string;
  /** Type flag. Default: a file. */
  readonly type?: string;
  readonly mode?: number;
  readonly content?: string | Uint8Array;
  readonly target?: string;
  /** In the header, in place of that of the content. */
  readonly size?: number;
  /** Records of an extended header in front of the entry. */
  readonly extended?: Readonly<Record<string, string>>;
  /** Changes the finished header. */
  readonly change?: (header: Buffer) => void;
}

const block = 512;

export function tarBytes(entries: readonly WrittenEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(entryBytes), Buffer.alloc(2 * block)]);
}

/** Without the blocks that end an archive. */
export function entryBytes({ extended, ...entry }: WrittenEntry): Buffer[] {
  const records = Object.entries(extended ?? {}).map(([key, value]) => record(key, value));
  const before =
    records.length === 0 ? [] : entryBytes({ name: 'x', type: 'x', content: Buffer.concat(records) });
  const { name, type = '0', mode = type === '5' ? 0o755 : 0o644, target = '' } = entry;
  const content = Buffer.from(entry.content ?? '');
  const header = Buffer.alloc(block);
  const bytes = Buffer.from(name);
  header.set(bytes.subarray(0, 100), 0);
  header.write(mode.toString(8).padStart(7, '0'), 100);
  header.write((entry.size ?? content.length).toString(8).padStart(11, '0'), 124);
  header.write(type, 156, 'latin1');
  header.write(target.slice(0, 100), 157);
  header.write('ustar\u000000', 257, 'latin1');
  seal(header);
  entry.change?.(header);
  return [...before, header, content, Buffer.alloc((block - (content.length % block)) % block)];
}

/** Writes the checksum. */
export function seal(header: Buffer): void {
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
}

function record(key: string, value: string): Buffer {
  const body = Buffer.from(` ${key}=${value}\n`);
  let length = body.length;
  while (String(length).length + body.length !== length) length = String(length).length + body.length;
  return Buffer.concat([Buffer.from(String(length)), body]);
}
