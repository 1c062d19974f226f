import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootHashIn, rootOfSlot } from '@nodewright/boot';
import { nativeArchitecture } from '@nodewright/build';
import { sectorBytes } from '@nodewright/disk';
import { makeMachineDisk } from '@nodewright/provision/machine';
import { commandLine } from '../../rootfs/disk/boot-entries.ts';
import { placeContent, placedPartitions } from '../../rootfs/disk/disk-image.ts';
import { makeExtPartition } from '../../rootfs/disk/ext-partition.ts';
import { buildExtensions } from '../../rootfs/extensions/build-extensions.ts';
import { extensionsFolder } from '../../rootfs/extensions/extensions-document.ts';
import { kernelRelease, modulesOfRoot } from '../../rootfs/extensions/root-modules.ts';
import { unpackTools } from '../../rootfs/workshop.ts';
import { imageFolder } from './machine.ts';

const checkout = join(import.meta.dirname, '..', '..');
const epochSeconds = 1_700_000_000;

export interface ImageWithExtensions {
  /** Path of the disk image. */
  readonly disk: string;
  readonly commandLine: string;
  /** Of the extensions' layers, in their order. */
  readonly layers: readonly Buffer[];
}

/** The root of the image that `make image` built, as it lies on BOOT. */
export function rootOfImage(): Record<string, Buffer> {
  const [squashfs, hashTree, line] = ['rootfs.squashfs', 'rootfs.verity', 'cmdline.txt'].map((name) =>
    readFileSync(join(imageFolder, name)),
  ) as [Buffer, Buffer, Buffer];
  return rootOfSlot('A', { squashfs, hashTree, line: line.toString() });
}

/**
 * Makes an image with extensions of the one that `make image` built: the same root, kernel and initramfs with another BOOT and
 * another command line.
 *
 * @param folder an existing folder, in which the files stay
 */
export async function imageWithExtensions(
  folder: string,
  paths: readonly string[],
): Promise<ImageWithExtensions> {
  const work = join(folder, 'work');
  mkdirSync(work);
  const architecture = nativeArchitecture();
  const tools = await unpackTools({ checkout, work, architecture });
  const squashfs = readFileSync(join(imageFolder, 'rootfs.squashfs'));
  const place = modulesOfRoot(squashfs, work, tools);
  const modules = { release: kernelRelease(place, join(work, 'modules-of-root')), place };
  const { files, rootHashes } = await buildExtensions(paths, { tools, work, epochSeconds, modules });
  const boot = placedPartitions().find(({ label }) => label === 'BOOT');
  if (boot === undefined) throw new Error('the layout has no BOOT');
  const room = (boot.last - boot.first + 1) * sectorBytes;
  const onBoot = rootOfImage();
  for (const [name, content] of Object.entries(files)) onBoot[`A/${extensionsFolder}/${name}`] = content;
  const partition = makeExtPartition(tools, work, {
    label: 'BOOT',
    isWritten: true,
    bytes: room,
    epochSeconds,
    uuid: boot.guid,
    files: onBoot,
  });
  const disk = join(folder, 'extensions.raw');
  makeMachineDisk(join(imageFolder, 'disk.raw'), disk, 0);
  const file = openSync(disk, 'r+');
  try {
    placeContent(file, partition, { label: 'BOOT', at: boot.first * sectorBytes, room });
  } finally {
    closeSync(file);
  }
  const embedded = readFileSync(join(imageFolder, 'cmdline.txt'), 'utf8');
  const rootHash = rootHashIn(embedded);
  return {
    disk,
    commandLine: commandLine(architecture, { slot: 'A', rootHash, extensions: rootHashes }),
    layers: rootHashes.map((_, index) => files[`${index + 1}.squashfs`] ?? Buffer.alloc(0)),
  };
}
