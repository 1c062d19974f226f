import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { diskTransport } from './disk-transport.ts';
import { ifReadable, textIfReadable } from './if-readable.ts';

/** The kind of a disk. */
export type DiskKind = 'ssd' | 'hdd' | 'nvme' | 'sd' | 'cd';

/** A whole disk, as described in sysfs. Texts that the device does not report are empty. */
export interface BlockDisk {
  /** The kernel's name. */
  readonly name: string;
  /** Its path below `/dev`. */
  readonly devicePath: string;
  readonly sizeBytes: bigint;
  readonly kind: DiskKind;
  readonly model: string;
  readonly serial: string;
  readonly modalias: string;
  readonly uuid: string;
  readonly wwid: string;
  /** Path of its parent device below `/sys/devices`, with a slash at both ends. */
  readonly busPath: string;
  /** `/sys/class/block`. */
  readonly subsystem: string;
  readonly isReadOnly: boolean;
  readonly isRotational: boolean;
  /** Logical sector size in bytes. */
  readonly sectorBytes: number;
  /** Optimal or physical I/O size in bytes. */
  readonly ioBytes: number;
  readonly firmwareVersion: string;
  /** How the disk is attached: `nvme`, `virtio`, `mmc`, `sata`, `usb` and so on; empty if unknown. */
  readonly transport: string;
}

/** Sector size of sysfs, whatever the sector size of the device. */
const sectorBytes = 512n;
const ramDiskMajor = '1';
/** The serial number on page 0x80 of a SCSI device's vital product data follows this header. */
const vitalProductHeaderBytes = 4;

/**
 * The disks with content, by name. Ram disks, devices of size zero (an empty loop device or drive), hidden devices and the
 * hidden parts of logical volumes are left out, and so is a device that is removed during the read. Source:
 * Talos v1.14: Disks.
 *
 * @param sysRoot where sysfs is mounted; default `/sys`.
 */
export function readDisks(sysRoot = '/sys'): BlockDisk[] {
  return (ifReadable(() => readdirSync(`${sysRoot}/block`)) ?? [])
    .sort()
    .map((name) => readDisk(sysRoot, name))
    .filter((disk) => disk !== undefined);
}

function readDisk(sysRoot: string, name: string): BlockDisk | undefined {
  const folder = `${sysRoot}/block/${name}`;
  const fact = (file: string) => textIfReadable(`${folder}/${file}`).replaceAll('\0', '').trim();
  const size = fact('size');
  const sizeBytes = /^\d{1,16}$/.test(size) ? BigInt(size) * sectorBytes : 0n;
  if (sizeBytes === 0n || fact('dev').split(':')[0] === ramDiskMajor) return undefined;
  // One path to a disk of NVMe with several paths: it has no device file, and the disk is listed beside it.
  if (fact('hidden') === '1') return undefined;
  if (isPrivateVolume(fact('dm/uuid'))) return undefined;

  const devices = `${ifReadable(() => realpathSync.native(`${sysRoot}/devices`)) ?? `${sysRoot}/devices`}/`;
  const path = ifReadable(() => realpathSync.native(folder)) ?? '';
  const count = (file: string) => Number(/^\d{1,9}$/.exec(fact(file))?.[0] ?? 0);
  const blockBytes = count('queue/logical_block_size') || Number(sectorBytes);
  return {
    name,
    devicePath: `/dev/${name}`,
    sizeBytes,
    kind: diskKind(name, fact('queue/rotational') === '1'),
    model: fact('device/model'),
    serial: fact('serial') || fact('device/serial') || vitalProductSerial(folder),
    modalias: fact('device/modalias'),
    uuid: fact('uuid'),
    wwid: fact('wwid') || fact('device/wwid'),
    busPath: path.startsWith(devices) ? busPath(path.slice(devices.length), name) : '',
    subsystem: subsystem(folder),
    isReadOnly: fact('ro') === '1',
    isRotational: fact('queue/rotational') === '1',
    sectorBytes: blockBytes,
    ioBytes: Math.max(count('queue/optimal_io_size') || count('queue/minimum_io_size'), blockBytes),
    firmwareVersion: fact('device/firmware_rev') || fact('device/rev'),
    transport: diskTransport(name, path, (host) => existsSync(`${sysRoot}/class/${host}`)),
  };
}

function diskKind(name: string, isRotational: boolean): DiskKind {
  if (/^sr\d/.test(name)) return 'cd';
  if (name.startsWith('nvme')) return 'nvme';
  if (name.startsWith('mmcblk')) return 'sd';
  return isRotational ? 'hdd' : 'ssd';
}

/** LVM marks internal volumes with a suffix after the volume's id: `LVM-<64 characters>-real`. */
function isPrivateVolume(deviceMapperId: string): boolean {
  return /^LVM-[^-]{64}-/.test(deviceMapperId);
}

/** The parent of `pci0000:00/0000:00:02.0/virtio1/block/vda` is `/pci0000:00/0000:00:02.0/virtio1/`. */
function busPath(path: string, name: string): string {
  return `/${path.slice(0, -name.length).replace(/block\/$/, '')}`;
}

function subsystem(folder: string): string {
  const target = ifReadable(() => readlinkSync(`${folder}/subsystem`)) ?? '';
  return target.endsWith('/class/block') ? '/sys/class/block' : '';
}

function vitalProductSerial(folder: string): string {
  const path = `${folder}/device/vpd_pg80`;
  const page = existsSync(path) ? ifReadable(() => readFileSync(path)) : undefined;
  return page === undefined
    ? ''
    : page.subarray(vitalProductHeaderBytes).toString('latin1').replaceAll('\0', '').trim();
}
