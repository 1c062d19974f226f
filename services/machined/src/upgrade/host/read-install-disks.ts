// Looks at the disks of a machine for an installation. Nothing is changed.
import { readFileSync } from 'node:fs';
import { blankBytes } from '@nodewright/disk';
import { faultFrom } from '@nodewright/fault';
import { type BoundedCalls, parseMounts, readBlockDevices } from '@nodewright/linux';
import type { DiskSpec } from '@nodewright/state/kinds';
import { type DeviceUse, diskUser } from '../domain/disk-user.ts';
import { type DiskContent, diskContent } from '../domain/install-content.ts';
import type { InstallDisk } from '../domain/install-disk.ts';
import type { InstallPort } from './install-executor.ts';

/** Devices that the kernel makes from files or from other devices. */
export const madeByKernel = /^\/dev\/(?:loop|ram|zram|dm-|md|nbd)/;
const sectorBytes = 512;

export interface ReadInstallDisksInit {
  readonly port: Pick<InstallPort, 'read'>;
  /** A disk that hangs must not keep others from being listed. */
  readonly bounded: BoundedCalls;
  /** Path of the device with the medium that the machine was started from: a disk or a partition. Undefined without one. */
  readonly medium: string | undefined;
  /** Default: those of this machine. */
  readonly uses?: () => readonly DeviceUse[];
}

/** @param specs the disks that the machine has */
export async function readInstallDisks(
  specs: readonly DiskSpec[],
  { port, bounded, medium, uses = readUses }: ReadInstallDisksInit,
): Promise<readonly InstallDisk[]> {
  const used = uses();
  // It need not be mounted: the machine runs in memory.
  const mediumDisk = used.find(({ path }) => path === medium)?.disk || medium;
  return Promise.all(
    specs.map(async (spec) => ({
      ...{ path: spec.dev_path, links: spec.symlinks, sizeBytes: spec.size, sectorBytes: spec.sector_size },
      ...{ isReadOnly: spec.readonly, isCd: spec.cdrom, model: spec.model, serial: spec.serial },
      isVirtual: madeByKernel.test(spec.dev_path),
      isMedium: spec.dev_path === mediumDisk,
      user: diskUser(spec.dev_path, used),
      ...(await contentOf(spec, { port, bounded })),
    })),
  );
}

async function contentOf(
  { dev_path: path, size, cdrom }: DiskSpec,
  { port, bounded }: Pick<ReadInstallDisksInit, 'port' | 'bounded'>,
): Promise<DiskContent> {
  // They may have no medium, and are never chosen.
  if (cdrom || madeByKernel.test(path)) return { content: 'other', detail: '' };
  return readContent(path, size, { read: (...of) => bounded.run(path, () => port.read(...of)) });
}

/** What a disk holds. It never rejects. */
export async function readContent(
  path: string,
  sizeBytes: number,
  port: Pick<InstallPort, 'read'>,
): Promise<DiskContent> {
  try {
    const first = await port.read(path, 0, blankBytes);
    const last = await port.read(path, Math.max(0, sizeBytes - blankBytes), blankBytes);
    return diskContent(first, last, sizeBytes / sectorBytes);
  } catch (error) {
    return { content: 'unknown', detail: faultFrom(error).message };
  }
}

function readUses(): DeviceUse[] {
  const mounts = parseMounts(readFileSync('/proc/self/mounts', 'utf8'));
  return readBlockDevices().map(({ name, parent, secondaries }) => ({
    ...{ path: `/dev/${name}`, disk: parent === '' ? '' : `/dev/${parent}` },
    members: secondaries.map((member) => `/dev/${member}`),
    mountPoint: mounts.find(({ source }) => source === `/dev/${name}`)?.mountPoint,
  }));
}
