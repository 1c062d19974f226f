import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@nodewright/fault';
import { makeFolder } from '@nodewright/files';
import { privateFolderMode } from '../cluster/write-private-file.ts';
import type { ClusterRequest } from '../domain/provisioner.ts';
import { makeMachineDisk } from '../machine/machine-disk.ts';
import { machineImages } from '../machine/machine-images.ts';
import type { QemuParts } from './qemu-parts.ts';

const diskImage = 'disk.raw';
const bootFiles = ['vmlinuz', 'initramfs', 'cmdline.txt'] as const;

/** Room for EPHEMERAL, which needs 2 GiB. The file takes only what the machine writes. */
const diskBytes = 8 * 2 ** 30;

/** The files of a machine, in the folder of its node. */
export interface MachineFiles {
  readonly folder: string;
  readonly disk: string;
  readonly commandLine: string;
  /** The socket of the emulator's monitor. */
  readonly monitor: string;
}

export function machineFiles(folder: string): MachineFiles {
  return {
    folder,
    disk: join(folder, diskImage),
    commandLine: join(folder, 'cmdline.txt'),
    monitor: join(folder, 'monitor.sock'),
  };
}

/** The folder of the image of a new machine. */
export function imageFolderOf(
  { imageFolder, kubernetes = false }: Pick<ClusterRequest, 'imageFolder' | 'kubernetes'>,
  { imagesFolder }: Pick<QemuParts, 'imagesFolder'>,
): string {
  return imageFolder ?? join(imagesFolder, machineImages[kubernetes ? 'kubernetes' : 'plain']);
}

/** Throws a Fault `failed-precondition` when a file of the image is missing. */
export function checkImage(imageFolder: string, hasKubernetes: boolean): void {
  const missing = [diskImage, ...bootFiles].filter((name) => !existsSync(join(imageFolder, name)));
  if (missing.length === 0) return;
  throw new Fault(
    'failed-precondition',
    `no image in ${imageFolder} (${missing.join(', ')} missing): build it with make image${hasKubernetes ? ' KUBERNETES=1' : ''}, or name the folder with --image-path`,
  );
}

/**
 * Makes the disk of a machine. Kernel and initramfs are copied as well: they match only this disk, and the image may be
 * built again while the machine exists.
 */
export async function makeMachine(imageFolder: string, folder: string): Promise<void> {
  await makeFolder(folder, privateFolderMode);
  for (const name of bootFiles) await copyFile(join(imageFolder, name), join(folder, name));
  makeMachineDisk(join(imageFolder, diskImage), machineFiles(folder).disk, diskBytes);
}
