// Examines a disk after a power cut without starting a machine: what its firmware and its boot loader start, by programs of GRUB, ext4 and FAT,
// and what machined decides then, by its own code.
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type BootState,
  createGrubBootLoader,
  entryName,
  planStart,
  rootHashIn,
  type Slot,
  type System,
  slotFiles,
  slotIn,
  slots,
  unifiedKernelFolder,
  upgradeRecordFrom,
} from '@nodewright/boot';
import { metaPartitionBytes, type Partition, readMeta, sectorBytes } from '@nodewright/disk';
import type { ArtefactDescription } from '@nodewright/installer';
import type { LockedTools } from '../../../rootfs/debian/locked-tools.ts';
import { readAsGrub } from './read-as-grub.ts';

export interface ExamineInit {
  readonly tools: LockedTools;
  readonly partitions: readonly Partition[];
  /** The systems that the machine may have. */
  readonly systems: readonly ArtefactDescription[];
  /** An existing folder for intermediate files. */
  readonly work: string;
}

export interface DiskFinding {
  /** What a BIOS starts from the disk; undefined when it starts nothing. */
  readonly started: { readonly slot: Slot; readonly version: string } | undefined;
  /** What GRUB has stored. */
  readonly choice: { readonly default: Slot | undefined; readonly once: Slot | undefined };
  /** What machined says of that start. */
  readonly mode: string;
}

/** A disk with which a machine does not come back. */
export class DiskProblem extends Error {}

/** @param path of a disk, which is changed: the journal of BOOT is replayed @throws DiskProblem */
export async function examineDisk(path: string, init: ExamineInit): Promise<DiskFinding> {
  const { tools, partitions, systems } = init;
  const nothing = { started: undefined, choice: { default: undefined, once: undefined }, mode: '' };
  // A BIOS starts the code in the first sector, which an installation writes last.
  if (readBytes(path, 0, 440).every((byte) => byte === 0)) return nothing;
  const place = (label: string) => {
    const found = partitions.find((partition) => partition.label === label);
    if (found === undefined) throw new Error(`the disk has no partition ${label}`);
    return { number: found.number, at: found.first * sectorBytes };
  };
  const boot = place('BOOT');
  const grub = readAsGrub((file) => readByGrub(tools, path, `(loop0,gpt${boot.number})/${file}`, init.work));
  const { choice, slot, commandLine } = grub;
  if (slot === undefined) throw new DiskProblem('GRUB starts no slot');
  const running: System = { slot: slotIn(commandLine), rootHash: rootHashIn(commandLine) };
  const system = systems.find(({ rootHash }) => rootHash === running.rootHash);
  if (system === undefined || running.slot !== slot)
    throw new DiskProblem(`the command line of slot ${slot} is that of another system: ${commandLine}`);
  requireFile(system, 'machine/vmlinuz', grub.kernel);
  requireFile(system, 'machine/initramfs', grub.initramfs);

  const device = `${path}?offset=${boot.at}`;
  replayJournal(tools, device);
  const read = (file: string) => readByDebugfs(tools, device, file, init.work);
  const inSlot = (name: string) => read(`${slot}/${name}`) ?? Buffer.alloc(0);
  // What the init looks for in the slot, and opens.
  if (inSlot(slotFiles.rootHash).toString() !== `${running.rootHash}\n`)
    throw new DiskProblem(`slot ${slot} does not have the root hash of its kernel`);
  requireFile(system, 'machine/rootfs.squashfs', inSlot(slotFiles.squashfs));
  requireFile(system, 'machine/rootfs.verity', inSlot(slotFiles.hashTree));
  requireUnifiedKernels(tools, `${path}@@${place('EFI').at}`, systems, init.work);

  const loader = createGrubBootLoader({
    read: async (file, offset, length) => read(file)?.subarray(offset, offset + length),
    overwrite: () => Promise.reject(new Error('nothing is written to a disk that is examined')),
  });
  const state = await loader.state();
  // GRUB has emptied it before it started the kernel.
  const facts = { running, boot: { ...state, once: undefined } };
  const values = readMeta(readBytes(path, place('META').at, metaPartitionBytes));
  const record = upgradeRecordFrom(values);
  if (record === 'lost') throw new DiskProblem('META does not say what was upgraded');
  const start = planStart({ ...facts, record });
  requireWayBack(state, running, start.steps);
  return { started: { slot, version: system.version }, choice, mode: start.mode };
}

/** Nothing that this start changes takes the running system, or what the next start has. */
function requireWayBack(
  { default: byDefault, entries }: BootState,
  running: System,
  steps: ReturnType<typeof planStart>['steps'],
): void {
  if (!entries.some(({ slot, rootHash }) => slot === running.slot && rootHash === running.rootHash))
    throw new DiskProblem(`the running system in slot ${running.slot} is no boot entry`);
  let next = byDefault ?? 'A';
  for (const step of steps) {
    if (step.kind === 'set default') next = step.slot;
    if (step.kind === 'empty slot' && (step.slot === running.slot || step.slot === next))
      throw new DiskProblem(`the start removes slot ${step.slot}, which is started next`);
  }
  if (!entries.some(({ slot }) => slot === next)) throw new DiskProblem(`the default ${next} has no system`);
}

function requireFile(system: ArtefactDescription, name: string, content: Buffer): void {
  const file = system.layers.flat().find(({ path }) => path === name);
  const digest = createHash('sha256').update(content).digest('hex');
  if (file?.sha256 !== digest)
    throw new DiskProblem(`${name} of ${system.version} is not whole: it has ${content.length} bytes`);
}

/** systemd-boot lists every unified kernel with its name: each must be whole, although a BIOS starts none. */
function requireUnifiedKernels(
  tools: LockedTools,
  image: string,
  systems: readonly ArtefactDescription[],
  work: string,
): void {
  for (const slot of slots) {
    const copy = join(work, 'unified');
    rmSync(copy, { force: true });
    const { status } = run(tools, 'usr/bin/mcopy', [
      '-n',
      '-i',
      image,
      `::${unifiedKernelFolder}/${entryName(slot)}`,
      copy,
    ]);
    if (status !== 0 || !existsSync(copy)) continue;
    const digest = createHash('sha256').update(readFileSync(copy)).digest('hex');
    const path = `machine/${slot}/nodewright.efi`;
    const isKnown = systems.some(({ layers }) =>
      layers.flat().some((file) => file.path === path && file.sha256 === digest),
    );
    if (!isKnown) throw new DiskProblem(`the unified kernel of slot ${slot} is not whole`);
  }
}

function readBytes(path: string, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const file = openSync(path, 'r');
  try {
    readSync(file, bytes, 0, length, at);
    return bytes;
  } finally {
    closeSync(file);
  }
}

interface Ran {
  readonly status: number;
  readonly output: string;
}

/** @throws Error when the program cannot be run */
function run(tools: LockedTools, program: string, words: readonly string[]): Ran {
  try {
    return { status: 0, output: tools.run(program, words).toString() };
  } catch (error) {
    const { status, stdout, stderr } = error as Partial<Record<'stdout' | 'stderr', Buffer>> & {
      status?: number;
    };
    if (typeof status !== 'number') throw error;
    return { status, output: `${stdout}${stderr}` };
  }
}

function readByGrub(tools: LockedTools, disk: string, file: string, work: string): Buffer | undefined {
  const copy = join(work, 'by-grub');
  rmSync(copy, { force: true });
  const { status, output } = run(tools, 'usr/bin/grub-fstest', [disk, 'cp', file, copy]);
  if (status === 0) return readFileSync(copy);
  if (/not found/.test(output)) return undefined;
  throw new DiskProblem(`GRUB cannot read ${file}: ${output.trim()}`);
}

/** As the kernel does when it mounts the file system. What is wrong afterwards stays so: a machine has nothing that repairs it. */
function replayJournal(tools: LockedTools, device: string): void {
  run(tools, 'usr/sbin/e2fsck', ['-fy', '-E', 'journal_only', device]);
  const { status, output } = run(tools, 'usr/sbin/e2fsck', ['-fn', device]);
  // The kernel removes orphans when it mounts the file system, and counts what is free by itself.
  const harmless =
    /orphan|Free (blocks|inodes) count wrong|Fix\? no|Clear\? no|^Pass |^e2fsck |^BOOT: |WARNING|^$/i;
  const problems = output.split('\n').filter((line) => !harmless.test(line));
  if (status >= 4 && problems.length > 0)
    throw new DiskProblem(`the file system of BOOT is damaged: ${problems.slice(0, 6).join('; ')}`);
}

function readByDebugfs(tools: LockedTools, device: string, file: string, work: string): Buffer | undefined {
  const copy = join(work, 'by-debugfs');
  rmSync(copy, { force: true });
  run(tools, 'usr/sbin/debugfs', ['-R', `dump /${file} ${copy}`, device]);
  return existsSync(copy) ? readFileSync(copy) : undefined;
}
