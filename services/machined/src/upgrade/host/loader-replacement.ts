// Brings the boot loader of a disk of an earlier version up to date: such a disk starts one system only.
import { link, open, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type BootFiles,
  grubFiles,
  headerBytes,
  type LoaderPlan,
  type LoaderStep,
  menuBytes,
  planCore,
  planMenu,
  planSystemdBoot,
  readsEnvironment,
  type Slot,
  unifiedKernelSections,
} from '@nodewright/boot';
import { Fault } from '@nodewright/fault';
import { makeFolder, syncFolder } from '@nodewright/files';
import type { MountedPartition } from '../../base/host/mounted-partition.ts';
import { bootFilesOn } from './grub-files.ts';
import { type AlignedMemory, partitionFiles } from './partition-files.ts';

/** The files of an artefact for this, by path. */
export type LoaderFiles = ReadonlyMap<string, Buffer>;

export const loaderFolder = 'machine/loader/';
/** All of them together are not larger. */
export const loaderFilesBytes = 16 << 20;

export interface LoaderReplacement {
  /** What is said of it to people, before it is done. */
  readonly notice: string;
  /** Whether the disk has a boot loader that cannot try a system. */
  isOld(): Promise<boolean>;
  /**
   * Replaces it, if it is old. Whenever the power fails, each start has the same system as before.
   *
   * @throws Fault `failed-precondition` when that is not possible, `data-loss` when the disk does not keep what is written
   */
  replace(files: LoaderFiles): Promise<void>;
}

/** The disk as a BIOS sees it, by sectors of 512 bytes. */
export interface BiosDisk {
  /** The first sector of the partition BIOS. */
  readonly first: number;
  readonly sizeBytes: number;
  read(sector: number, lengthBytes: number): Promise<Buffer>;
  write(sector: number, bytes: Buffer): Promise<void>;
}

export interface LoaderReplacementInit {
  readonly isUefi: boolean;
  readonly boot: MountedPartition;
  readonly efi: MountedPartition;
  readonly memory: AlignedMemory;
  readonly bios: () => Promise<BiosDisk | undefined>;
  /** Stores the default of systemd-boot in the firmware. */
  readonly setDefault: (slot: Slot) => Promise<void>;
  /** Examines a program that the firmware is to start; undefined where the firmware verifies nothing. @throws Fault */
  readonly checkProgram: ((files: BootFiles, path: string) => Promise<void>) | undefined;
  /** The program that firmware of this architecture starts by itself. Default: that of this machine. */
  readonly programName?: string;
}

const programFolder = 'EFI/BOOT';
const commandLineLimit = 4096;

export function createLoaderReplacement(init: LoaderReplacementInit): LoaderReplacement {
  const { isUefi, boot, efi, bios, checkProgram } = init;
  const { programName = process.arch === 'arm64' ? 'BOOTAA64.EFI' : 'BOOTX64.EFI' } = init;
  const [onBoot, onEfi] = [bootFilesOn(boot), bootFilesOn(efi)];
  const program = `${programFolder}/${programName}`;
  const readMenu = async () => (await onBoot.read(grubFiles.menu, 0, menuBytes))?.toString('latin1') ?? '';
  const readHead = async () => (await onEfi.read(program, 0, headerBytes)) ?? Buffer.alloc(0);

  async function replaceGrub(files: LoaderFiles): Promise<void> {
    const disk = await bios();
    if (disk === undefined) throw refused('the disk has no partition BIOS');
    const core = stepsOf(
      planCore({
        ...{ sector0: await disk.read(0, 512), biosFirst: disk.first },
        bios: await disk.read(disk.first, disk.sizeBytes),
        bootCode: fileOf(files, 'grub/boot-code'),
        core: fileOf(files, 'grub/core'),
      }),
    );
    const menu = stepsOf(planMenu(await readMenu()));
    // The core image first: the old menu works with the new one, and not the other way round.
    for (const step of core) if (step.kind === 'write sectors') await disk.write(step.sector, step.bytes);
    await follow(menu, init);
  }

  async function replaceProgram(files: LoaderFiles): Promise<void> {
    const loader = fileOf(files, 'systemd-boot.efi');
    await checkProgram?.(
      { read: async (_path, offset, length) => loader.subarray(offset, offset + length) },
      '',
    );
    const head = await readHead();
    const names = await efi.read((folder) => readdir(join(folder, programFolder)));
    const plan = planSystemdBoot({
      ...{ name: programName, head, loader, names: names.map((name) => name.toUpperCase()) },
      commandLine: await commandLineIn(onEfi, program, head),
    });
    await follow(stepsOf(plan), init);
  }

  const isOld = async () =>
    isUefi ? sectionsOf(await readHead())?.has('.linux') === true : !readsEnvironment(await readMenu());
  return {
    notice: 'the boot loader of this disk is replaced: it cannot try a system',
    isOld,
    async replace(files) {
      if (!(await isOld())) return;
      await (isUefi ? replaceProgram(files) : replaceGrub(files));
    },
  };
}

const refused = (why: string) =>
  new Fault('failed-precondition', `the boot loader cannot be replaced: ${why}`);

function stepsOf(plan: LoaderPlan): readonly LoaderStep[] {
  if ('refusal' in plan) throw refused(plan.refusal);
  return plan.steps;
}

function fileOf(files: LoaderFiles, name: string): Buffer {
  const found = files.get(loaderFolder + name);
  if (found === undefined) throw refused(`the artefact has no ${loaderFolder}${name}`);
  return found;
}

function sectionsOf(head: Buffer) {
  try {
    return unifiedKernelSections(head);
  } catch {
    return undefined;
  }
}

async function commandLineIn(files: BootFiles, path: string, head: Buffer): Promise<string | undefined> {
  const section = sectionsOf(head)?.get('.cmdline');
  if (section === undefined || section.bytes > commandLineLimit) return undefined;
  const content = await files.read(path, section.offset, section.bytes);
  return content?.toString('latin1').replaceAll('\0', '').trim();
}

async function follow(steps: readonly LoaderStep[], init: LoaderReplacementInit): Promise<void> {
  const partition = steps.some((step) => 'partition' in step && step.partition === 'EFI')
    ? init.efi
    : init.boot;
  await partition.write(async (folder, flush) => {
    for (const step of steps) await followOne(step, { folder, flush, init });
  });
}

interface Place {
  readonly folder: string;
  readonly flush: () => void;
  readonly init: LoaderReplacementInit;
}

async function followOne(step: LoaderStep, { folder, flush, init }: Place): Promise<void> {
  const files = partitionFiles(folder, init.memory);
  const at = (path: string) => join(folder, path);
  switch (step.kind) {
    case 'write file':
      return writeChecked(files, step.path, step.bytes);
    case 'copy file':
      return writeChecked(files, step.path, Buffer.concat(await Array.fromAsync(files.read(step.from))));
    case 'link file':
      await link(at(step.from), at(step.path)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
      return syncFolder(dirname(at(step.path)));
    case 'empty journal':
      return flush();
    case 'replace file': {
      // Open until the disk has the new name: its blocks are not free before.
      await using _replaced = await open(at(step.path));
      await makeFolder(dirname(at(step.path)));
      await rename(at(step.from), at(step.path));
      {
        await using file = await open(at(step.path));
        await file.sync();
      }
      return syncFolder(dirname(at(step.path)));
    }
    case 'set default':
      return init.setDefault(step.slot);
    case 'write sectors':
      throw new Fault('internal', 'sectors are no part of a partition');
  }
}

async function writeChecked(
  files: ReturnType<typeof partitionFiles>,
  path: string,
  bytes: Buffer,
): Promise<void> {
  await files.write(path, [bytes]);
  if (!Buffer.concat(await Array.fromAsync(files.read(path))).equals(bytes))
    throw new Fault('data-loss', `the disk has not kept ${path}: it differs from what was written`);
}
