// What an installation writes into its new file systems: the system of an artefact in slot A, the boot loaders, the images, and the state
// of the node.
import { chmod, chown, open, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bootCodeFor, choiceEnvironment, coreFor, encodeEnvironmentBlock, grubFiles } from '@nodewright/boot';
import { volumeIds } from '@nodewright/contract/volumes';
import { Fault } from '@nodewright/fault';
import { makeFolder, syncFolder } from '@nodewright/files';
import type { ArtefactFile, ArtefactSink } from '@nodewright/installer';
import type { MountedPartition } from '../../base/host/mounted-partition.ts';
import type { InstalledLabel } from '../domain/install-plan.ts';
import { checkSpace, placedFiles } from '../domain/slot-plan.ts';
import type { GrubParts, InstalledFiles } from './install-executor.ts';
import { addKernelArguments } from './kernel-arguments.ts';
import { type AlignedMemory, accessTo, type PartitionAccess } from './partition-files.ts';
import { createSlotWriter } from './slot-writer.ts';

/** An artefact that was verified. */
export interface InstallArtefact {
  readonly version: string;
  readonly rootHash: string;
  /** Of machines. */
  readonly files: readonly ArtefactFile[];
  /** Passes the wanted files to the sink, compared with what was signed. */
  readonly read: (sink: ArtefactSink, isWanted: (file: ArtefactFile) => boolean) => Promise<void>;
}

export interface InstalledFilesInit {
  readonly artefact: InstallArtefact;
  /** Mounts a partition for as long as it is used. @param device returns its path */
  readonly partition: (label: MountedLabel, device: () => string) => MountedPartition;
  readonly memory: AlignedMemory;
  readonly extraKernelArguments: readonly string[];
  /** Values of META. They and the folder of STATE do not change any more when the promise resolves. */
  readonly values: () => Promise<ReadonlyMap<number, Uint8Array>>;
  /** The folder of STATE, which is in memory. */
  readonly stateFolder: string;
  /** Names of files in it that are not of STATE on a disk, such as META. */
  readonly leftOut: readonly string[];
  /** Makes slot A the choice of the firmware; undefined where no firmware has one. */
  readonly confirmChoice:
    | ((partitions: { boot: MountedPartition; efi: MountedPartition }) => Promise<void>)
    | undefined;
}

type MountedLabel = Exclude<InstalledLabel, 'BIOS' | typeof volumeIds.meta>;

const slot = 'A';
const imagesPrefix = 'machine/images/';
/** Files of boot loaders, by path in the artefact, with their places. GRUB's code is no file on a disk. */
const loaderPlaces: Readonly<
  Record<string, { readonly on: 'BOOT' | 'EFI'; readonly path: string } | undefined>
> = {
  'machine/loader/systemd-boot.efi': {
    on: 'EFI',
    path: `EFI/BOOT/${process.arch === 'arm64' ? 'BOOTAA64' : 'BOOTX64'}.EFI`,
  },
  'machine/loader/loader.conf': { on: 'EFI', path: 'loader/loader.conf' },
  'machine/loader/grub/grub.cfg': { on: 'BOOT', path: grubFiles.menu },
};
const bootCodePath = 'machine/loader/grub/boot-code';
const corePath = 'machine/loader/grub/core';
/** Files of boot loaders are kept in memory until their places are known. */
const loaderFileBytes = 4 << 20;

/** The bytes of the images that a system starts with. */
export const imageBytesOf = (files: readonly ArtefactFile[]): number =>
  files.reduce((sum, { path, sizeBytes }) => (path.startsWith(imagesPrefix) ? sum + sizeBytes : sum), 0);

/** @throws Fault `failed-precondition` when the artefact lacks what a new disk needs */
export function createInstalledFiles(init: InstalledFilesInit): InstalledFiles {
  const { artefact, values, memory } = init;
  const places = placedFiles(slot, artefact.files);
  const isPlaced = new Set(places.map(({ path }) => path));
  const loaders = new Map<string, Buffer>();
  let partitions: Readonly<Record<MountedLabel, MountedPartition>> | undefined;
  let access: { readonly boot: PartitionAccess; readonly efi: PartitionAccess } | undefined;
  requireLoaders(artefact.files);

  const isLoader = ({ path }: ArtefactFile) => path.startsWith('machine/loader/');
  const isImage = ({ path }: ArtefactFile) => path.startsWith(imagesPrefix);

  async function fill(deviceOf: Parameters<InstalledFiles['fill']>[0]): Promise<void> {
    const partition = (label: MountedLabel) => init.partition(label, () => deviceOf(label));
    partitions = {
      ...{ BOOT: partition('BOOT'), EFI: partition('EFI') },
      ...{ IMAGECACHE: partition(volumeIds.imageCache), STATE: partition(volumeIds.state) },
    };
    access = { boot: accessTo(partitions.BOOT, memory), efi: accessTo(partitions.EFI, memory) };
    const { boot, efi } = access;
    await checkRoom(access, places);
    const writer = createSlotWriter(access);
    await partitions.IMAGECACHE.write(async (cache) => {
      await writer.fill(slot, {
        ...{ rootHash: artefact.rootHash, files: places },
        finish: (files) =>
          addKernelArguments(files, { slot, tag: artefact.version, extra: init.extraKernelArguments }),
        read: (sink, isWanted) =>
          artefact.read(
            {
              async write(file, content) {
                if (isImage(file)) await writeImage(cache, file.path.slice(imagesPrefix.length), content);
                else if (isPlaced.has(file.path)) await sink.write(file, content);
                else loaders.set(file.path, await whole(file, content));
              },
            },
            (file) => isWanted(file) || isLoader(file) || isImage(file),
          ),
      });
    });
    await boot.write(async (files) => {
      await writeLoaders('BOOT', files);
      await files.write(grubFiles.environment, [
        encodeEnvironmentBlock(choiceEnvironment({ default: slot, once: undefined })),
      ]);
    });
    await efi.write((files) => writeLoaders('EFI', files));
  }

  async function writeLoaders(
    on: 'BOOT' | 'EFI',
    files: Parameters<Parameters<PartitionAccess['write']>[0]>[0],
  ): Promise<void> {
    for (const [path, content] of loaders) {
      const place = loaderPlaces[path];
      if (place?.on === on) await files.write(place.path, [content]);
    }
  }

  return {
    values,
    fill,
    grub(coreSector): GrubParts | undefined {
      const [bootCode, core] = [loaders.get(bootCodePath), loaders.get(corePath)];
      if (bootCode === undefined || core === undefined) return undefined;
      return { bootCode: bootCodeFor(bootCode, coreSector), core: coreFor(core, coreSector) };
    },
    async writeState() {
      await partitions?.STATE.write((folder) => copyFolder(init.stateFolder, folder, init.leftOut));
    },
    async complete() {
      if (access === undefined || partitions === undefined)
        throw new Fault('internal', 'the slot is completed before it is filled');
      await createSlotWriter(access).complete(slot);
      await init.confirmChoice?.({ boot: partitions.BOOT, efi: partitions.EFI });
    },
  };
}

function requireLoaders(files: readonly ArtefactFile[]): void {
  const paths = new Set(files.map(({ path }) => path));
  const needed = [
    'machine/loader/systemd-boot.efi',
    ...(process.arch === 'arm64' ? [] : [bootCodePath, corePath, 'machine/loader/grub/grub.cfg']),
    `machine/${slot}/entry.cfg`,
  ];
  const missing = needed.find((path) => !paths.has(path));
  if (missing !== undefined)
    throw new Fault(
      'failed-precondition',
      `the artefact cannot be installed on a new disk: it lacks ${missing}; versions before this one have it in their disk image only`,
    );
}

async function checkRoom(
  { boot, efi }: { readonly boot: PartitionAccess; readonly efi: PartitionAccess },
  places: ReturnType<typeof placedFiles>,
): Promise<void> {
  for (const [partition, on] of [
    ['BOOT', boot],
    ['EFI', efi],
  ] as const) {
    const sizes = places.filter((file) => file.partition === partition).map(({ sizeBytes }) => sizeBytes);
    const freeBytes = await on.read((files) => files.freeBytes());
    checkSpace({ partition, freeBytes, replacedBytes: 0, sizes });
  }
}

async function whole({ path, sizeBytes }: ArtefactFile, content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  if (sizeBytes > loaderFileBytes)
    throw new Fault('invalid-argument', `${path} has ${sizeBytes} bytes, more than ${loaderFileBytes}`);
  return Buffer.concat(await Array.fromAsync(content));
}

const folderMode = 0o755;
const imageMode = 0o644;

async function writeImage(folder: string, path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const target = join(folder, path);
  await makeFolder(dirname(target), folderMode);
  await using file = await open(target, 'w', imageMode);
  for await (const piece of content) await file.writeFile(piece);
  await file.sync();
}

/** Files and folders with their owners and modes; nothing else is kept. */
async function copyFolder(from: string, to: string, leftOut: readonly string[] = []): Promise<void> {
  const { mode, uid, gid } = await stat(from);
  await makeFolder(to);
  await chown(to, uid, gid);
  await chmod(to, mode & 0o7777);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (leftOut.includes(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyFolder(source, target);
    else if (entry.isFile()) await copyFile(source, target);
  }
  await syncFolder(to);
}

async function copyFile(source: string, target: string): Promise<void> {
  const { mode, uid, gid } = await stat(source);
  await using file = await open(target, 'w', mode & 0o7777);
  await file.writeFile(await readFile(source));
  await file.chmod(mode & 0o7777);
  await file.chown(uid, gid);
  await file.sync();
}
