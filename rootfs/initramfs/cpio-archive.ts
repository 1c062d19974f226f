// Archives in the format that the kernel unpacks as its first root file system.
// Source: Linux, initramfs buffer format.

export interface CpioFile {
  /** Path below the root, without a leading slash. */
  readonly path: string;
  /** Undefined for a folder. */
  readonly content?: Buffer;
  /** Permission bits. */
  readonly mode: number;
}

const fileType = 0o100_000;
const folderType = 0o040_000;

/** Writes an uncompressed archive, owned by root. Folders must come before their files. The same files give the same bytes. */
export function cpioArchive(files: readonly CpioFile[]): Buffer {
  const records = files.map(({ path, content, mode }, index) =>
    record(path, content ?? Buffer.alloc(0), {
      inode: index + 1,
      mode: mode | (content === undefined ? folderType : fileType),
      links: content === undefined ? 2 : 1,
    }),
  );
  const end = record('TRAILER!!!', Buffer.alloc(0), { inode: 0, mode: 0, links: 1 });
  return Buffer.concat([...records, end]);
}

function record(
  path: string,
  content: Buffer,
  { inode, mode, links }: { inode: number; mode: number; links: number },
): Buffer {
  const name = Buffer.from(`${path}\0`);
  const [owner, group, time, device] = [0, 0, 0, 0];
  const numbers = [
    ...[inode, mode, owner, group, links, time, content.length],
    ...[device, device, device, device, name.length, 0],
  ];
  const header = `070701${numbers.map((number) => number.toString(16).padStart(8, '0')).join('')}`;
  return Buffer.concat([padded(Buffer.concat([Buffer.from(header), name])), padded(content)]);
}

/** Names and contents end at a multiple of 4 bytes. */
function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}
