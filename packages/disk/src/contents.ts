// What a partition or a disk contains, by the marks that file systems leave at fixed places. The layouts are those of
// the on-disk formats: xfs_dsb in the XFS Filesystem Structure document, ext4_super_block and squashfs_super_block in the
// documentation of the kernel, the BIOS parameter block of FAT, and LUKS.
import { hasMetaMark, metaPartitionBytes } from './meta-partition.ts';
import { decodeTable, tableHeadBytes } from './partition-table.ts';

export type ContentName =
  | 'xfs'
  | 'ext4'
  | 'vfat'
  | 'squashfs'
  | 'swap'
  | 'iso9660'
  | 'crypto_LUKS'
  | 'gpt'
  | 'talosmeta';

export interface DiskContents {
  /** Named as udev does. */
  readonly name: ContentName;
  readonly label: string;
  readonly uuid: string;
  /** Zero when the format has none. */
  readonly blockBytes: number;
  /** The smallest unit that is read or written; the size of a block where the format has no smaller one. */
  readonly unitBytes: number;
  /** Size of the file system; zero when the format does not tell it. */
  readonly sizeBytes: number;
  /** Size without the log of the file system, as udev reports it. */
  readonly dataBytes: number;
  /** The program that creates the file system has begun and not finished. */
  readonly isUnfinished: boolean;
}

/** Bytes at the beginning of a device that `recogniseContents()` needs. */
export const contentsHeadBytes = Math.max(tableHeadBytes, 36 * 1024);

/**
 * Recognises the contents of a device, or returns undefined for unknown ones. Nothing is verified beyond the marks: a
 * recognised file system may still be damaged.
 *
 * @param head the first `contentsHeadBytes`, or all bytes of a smaller device
 */
export function recogniseContents(head: Buffer): DiskContents | undefined {
  if (head.length < 4096) return undefined;
  for (const recognise of [xfs, luks, squashfs, meta, swap, ext4, iso9660, gpt, fat]) {
    const found = recognise(head);
    if (found === undefined) continue;
    const { blockBytes = 0, sizeBytes = 0 } = found;
    return { ...nothing, unitBytes: blockBytes, dataBytes: sizeBytes, ...found };
  }
  return undefined;
}

const nothing = { label: '', uuid: '', blockBytes: 0, sizeBytes: 0, isUnfinished: false };
type Found = Partial<DiskContents> & Pick<DiskContents, 'name'>;

function xfs(head: Buffer): Found | undefined {
  if (head.toString('latin1', 0, 4) !== 'XFSB') return undefined;
  const blockBytes = head.readUInt32BE(4);
  const blocks = Number(head.readBigUInt64BE(8));
  // Zero when the log is on another device.
  const logBegin = head.readBigUInt64BE(48);
  const logBlocks = logBegin === 0n ? 0 : head.readUInt32BE(96);
  return {
    name: 'xfs',
    label: text(head, 108, 12),
    uuid: uuidAt(head, 32),
    blockBytes,
    unitBytes: head.readUInt16BE(102),
    sizeBytes: blocks * blockBytes,
    dataBytes: (blocks - logBlocks) * blockBytes,
    // mkfs.xfs sets it first and clears it last.
    isUnfinished: head.readUInt8(126) !== 0,
  };
}

/** The feature whose file systems have a high word of the number of blocks. */
const ext4With64Bits = 0x80;

function ext4(head: Buffer): Found | undefined {
  const block = head.subarray(1024, 2048);
  if (block.readUInt16LE(56) !== 0xef53) return undefined;
  const blockBytes = 1024 << (block.readUInt32LE(24) & 0xf);
  const has64Bits = (block.readUInt32LE(96) & ext4With64Bits) !== 0;
  const blocks = block.readUInt32LE(4) + (has64Bits ? block.readUInt32LE(336) * 2 ** 32 : 0);
  return {
    name: 'ext4',
    label: text(block, 120, 16),
    uuid: uuidAt(block, 104),
    blockBytes,
    sizeBytes: blocks * blockBytes,
  };
}

function squashfs(head: Buffer): Found | undefined {
  if (head.toString('latin1', 0, 4) !== 'hsqs') return undefined;
  return { name: 'squashfs', blockBytes: head.readUInt32LE(12), sizeBytes: Number(head.readBigUInt64LE(40)) };
}

function swap(head: Buffer): Found | undefined {
  if (head.toString('latin1', 4086, 4096) !== 'SWAPSPACE2') return undefined;
  return { name: 'swap', label: text(head, 1052, 16), uuid: uuidAt(head, 1036), blockBytes: 4096 };
}

function luks(head: Buffer): Found | undefined {
  if (head.toString('latin1', 0, 6) !== 'LUKS\xba\xbe') return undefined;
  const hasLabel = head.readUInt16BE(6) === 2;
  return { name: 'crypto_LUKS', uuid: text(head, 168, 40), label: hasLabel ? text(head, 24, 48) : '' };
}

function iso9660(head: Buffer): Found | undefined {
  const at = 32_768;
  if (head.length < at + 2048 || head.toString('latin1', at + 1, at + 6) !== 'CD001') return undefined;
  return {
    name: 'iso9660',
    label: text(head, at + 40, 32),
    blockBytes: 2048,
    sizeBytes: head.readUInt32LE(at + 80) * 2048,
  };
}

function meta(head: Buffer): Found | undefined {
  return hasMetaMark(head) ? { name: 'talosmeta', sizeBytes: metaPartitionBytes } : undefined;
}

function gpt(head: Buffer): Found | undefined {
  const table = decodeTable(head);
  return table && { name: 'gpt', uuid: table.guid };
}

function fat(head: Buffer): Found | undefined {
  if (head.readUInt16LE(510) !== 0xaa55) return undefined;
  const isLarge = head.toString('latin1', 82, 87) === 'FAT32';
  if (!isLarge && !/^FAT1[26]/.test(head.toString('latin1', 54, 59))) return undefined;
  const [serialAt, labelAt] = isLarge ? [67, 71] : [39, 43];
  const serial = head.readUInt32LE(serialAt).toString(16).toUpperCase().padStart(8, '0');
  const label = text(head, labelAt, 11);
  const sectorBytes = head.readUInt16LE(11);
  return {
    name: 'vfat',
    label: label === 'NO NAME' ? '' : label,
    uuid: `${serial.slice(0, 4)}-${serial.slice(4)}`,
    blockBytes: sectorBytes,
    sizeBytes: (head.readUInt16LE(19) || head.readUInt32LE(32)) * sectorBytes,
  };
}

/** Text that ends at a NUL byte, without spaces at its end. */
function text(bytes: Buffer, at: number, length: number): string {
  return (bytes.toString('utf8', at, at + length).split('\0')[0] ?? '').trimEnd();
}

function uuidAt(bytes: Buffer, at: number): string {
  const hex = bytes.toString('hex', at, at + 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
