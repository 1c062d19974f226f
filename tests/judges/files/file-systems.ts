// The file systems on the disk image, each copied out of its partition.
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { sectorBytes } from '@nodewright/disk';
import { type PartitionLabel, placedPartitions } from '../../../rootfs/disk/disk-image.ts';
import type { Bench } from '../bench.ts';
import { type Judge, judgeOf } from '../judge.ts';
import { runProgram } from '../run-program.ts';
import { debianTool, type Tool } from '../tool.ts';

const blockBytes = 1 << 20;
const zeros = Buffer.alloc(blockBytes);

/** A copy of a partition. What consists of zeros stays a hole. */
async function partitionCopy({ image, newPath }: Bench, label: PartitionLabel): Promise<string> {
  const partition = placedPartitions().find((placed) => placed.label === label);
  if (partition === undefined) throw new Error(`the disk image has no partition ${label}`);
  const target = newPath(`${label}.raw`);
  await using from = await open(join(image, 'disk.raw'), 'r');
  await using to = await open(target, 'w');
  const bytes = (partition.last - partition.first + 1) * sectorBytes;
  await to.truncate(bytes);
  const block = Buffer.alloc(blockBytes);
  for (let at = 0; at < bytes; at += blockBytes) {
    const { bytesRead } = await from.read(
      block,
      0,
      Math.min(blockBytes, bytes - at),
      partition.first * sectorBytes + at,
    );
    const part = block.subarray(0, bytesRead);
    if (!part.equals(zeros.subarray(0, part.length))) await to.write(part, 0, part.length, at);
  }
  return target;
}

/** The copy of a partition with a byte that is wrong. */
async function brokenCopy(bench: Bench, { label, brokenByte: at }: Checked): Promise<string> {
  const path = await partitionCopy(bench, label);
  await using file = await open(path, 'r+');
  const byte = Buffer.alloc(1);
  const place = await at(file);
  await file.read(byte, 0, 1, place);
  byte.writeUInt8(byte.readUInt8(0) ^ 0xff);
  await file.write(byte, 0, 1, place);
  return path;
}

interface Checked {
  readonly label: PartitionLabel;
  readonly tool: Tool;
  readonly words: readonly string[];
  /** A byte whose change the program must notice. */
  readonly brokenByte: (file: FileHandle) => Promise<number> | number;
}

/** The bitmap of used blocks of the first group, whose descriptor is in the second block. Source: Linux, Documentation/filesystems/ext4/group_descr.rst. */
async function blockBitmap(file: FileHandle): Promise<number> {
  const extBlockBytes = 4096;
  const { buffer } = await file.read(Buffer.alloc(4), 0, 4, extBlockBytes);
  return buffer.readUInt32LE(0) * extBlockBytes;
}

const fat = debianTool('fsck.fat', 'dosfstools', /fsck\.fat (\S+)/, ['-V', '/dev/null']);
const ext = debianTool('e2fsck', 'e2fsprogs', /e2fsck (\S+)/, ['-V']);

const checked: readonly Checked[] = [
  // An entry of the first of the two tables, which begin behind 32 reserved sectors.
  { label: 'EFI', tool: fat, words: ['-n'], brokenByte: () => 32 * sectorBytes + 12 },
  { label: 'BOOT', tool: ext, words: ['-f', '-n'], brokenByte: blockBitmap },
  { label: 'IMAGECACHE', tool: ext, words: ['-f', '-n'], brokenByte: blockBitmap },
];

export const fileSystems: readonly Judge[] = checked.map((row) => {
  const { label, tool, words } = row;
  return judgeOf({
    name: tool === fat ? 'fsck.fat' : 'e2fsck',
    subject: `file system of the partition ${label}`,
    tool,
    isQuick: true,
    ours: (bench) => partitionCopy(bench, label),
    broken: (bench) => brokenCopy(bench, row),
    async ask(copy, { path }) {
      const { exitCode, stdout, stderr } = await runProgram(path, [...words, copy]);
      return exitCode === 0 ? [] : [{ id: `${label} has errors`, text: `${stdout}${stderr}`.trim() }];
    },
  });
});
