// Where GRUB is on a disk with a GPT, for firmware that is a BIOS: the boot code in sector 0 reads the first sector of the core image, which
// reads the others. Each has the number of the sector that it reads. Source: GRUB 2.12, grub-setup of i386-pc.
import { Fault } from '@nodewright/fault';

export const diskSectorBytes = 512;
/** The boot code of sector 0 ends before the partition table of old disks. */
export const bootCodeBytes = 440;
/** Where the boot code has the number of the sector that it reads, and the bytes that make it trust the drive number of the BIOS. */
const coreSectorAt = 0x5c;
const driveCheckAt = 0x66;
/** Two instructions that do nothing, in place of the jump that leaves out the repair of a wrong drive number. */
const driveRepair = 0x9090;
/** The list of sectors that the first sector of the core image reads ends with that sector, and has one entry. */
const blockListAt = diskSectorBytes - 12;
const loadSegment = 0x820;

/** The boot code that reads the core image from a sector. @param bootCode at least its `bootCodeBytes` */
export function bootCodeFor(bootCode: Buffer, coreSector: number): Buffer {
  const code = Buffer.from(bootCode.subarray(0, bootCodeBytes));
  if (code.length !== bootCodeBytes)
    throw new Fault('data-loss', `the boot code has fewer than ${bootCodeBytes} bytes`);
  code.writeBigUInt64LE(BigInt(coreSector), coreSectorAt);
  code.writeUInt16LE(driveRepair, driveCheckAt);
  return code;
}

/** The core image for its place on the disk, in whole sectors. Its other sectors are right behind the first one. */
export function coreFor(core: Buffer, coreSector: number): Buffer {
  const sectors = Math.ceil(core.length / diskSectorBytes);
  if (sectors < 2 || sectors > 0xffff) throw new Fault('data-loss', 'the core image of GRUB has no sectors');
  const placed = Buffer.concat([core, Buffer.alloc(sectors * diskSectorBytes - core.length)]);
  placed.writeBigUInt64LE(BigInt(coreSector + 1), blockListAt);
  placed.writeUInt16LE(sectors - 1, blockListAt + 8);
  placed.writeUInt16LE(loadSegment, blockListAt + 10);
  return placed;
}

/** The sector from which the boot code reads the core image. @param sector0 the first sector of a disk */
export const coreSectorOf = (sector0: Buffer): number => Number(sector0.readBigUInt64LE(coreSectorAt));

/** How many sectors a core image has. @param first its first sector, as it is on the disk */
export const coreSectors = (first: Buffer): number => 1 + first.readUInt16LE(blockListAt + 8);
