// A machine whose partitions are folders and whose GRUB is a few lines: it starts what the environment block says.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  choiceEnvironment,
  createGrubBootLoader,
  encodeEnvironmentBlock,
  grubFiles,
  type MachineFacts,
  type OutsideNeed,
  otherSlot,
  parseEnvironmentBlock,
  type Slot,
  type System,
  slotChoiceIn,
} from '@nodewright/boot';
import { Fault } from '@nodewright/fault';
import {
  createArtefactSigner,
  platform,
  type TestArtefactInit,
  testArtefact,
} from '@nodewright/installer/testing';
import { parseIndex } from '@nodewright/oci';
import type { ArtefactContent } from '../domain/artefact-source.ts';
import { grubFilesOn } from '../host/grub-files.ts';
import { type BiosDisk, createLoaderReplacement } from '../host/loader-replacement.ts';
import { MachineUpgrades, type MachineUpgradesInit } from '../host/machine-upgrades.ts';
import { accessTo, type PartitionAccess, type PartitionFiles } from '../host/partition-files.ts';
import { createSlotWriter } from '../host/slot-writer.ts';
import { folderPartition, newSystem, type TestSystem, testMemory, testSystem } from './test-system.ts';

export const signer = createArtefactSigner();

/** An artefact with this system. */
export function artefactOf(system: TestSystem, change: Partial<TestArtefactInit> = {}): ArtefactContent {
  const { files } = testArtefact({
    ...{ signer, files: [system.contents], describe: () => ({ rootHash: system.rootHash }) },
    ...change,
  });
  return {
    async root() {
      const [descriptor] = parseIndex(files.get('index.json') ?? Buffer.of()).manifests;
      if (descriptor === undefined) throw new Fault('data-loss', 'the layout is empty');
      return descriptor;
    },
    async *read({ digest }) {
      const blob = files.get(`blobs/${digest.replace(':', '/')}`);
      if (blob === undefined) throw new Fault('data-loss', `${digest} is missing`);
      for (let at = 0; at < blob.length; at += 4096) yield blob.subarray(at, at + 4096);
    },
    async [Symbol.asyncDispose]() {},
  };
}

export class TestMachine {
  readonly boot = folderPartition('boot');
  readonly efi = folderPartition('efi');
  readonly restarts: string[] = [];
  readonly watchdogs: string[] = [];
  readonly reports: string[] = [];
  meta = new Map<number, Uint8Array>();
  missing: readonly OutsideNeed[] = [];
  etcdVersion: string | undefined;
  isMaintenance = false;
  bios: BiosDisk | undefined;
  /** Opens what is upgraded to. */
  open: (image: string, signal: AbortSignal) => Promise<ArtefactContent> = async () => {
    throw new Fault('unavailable', 'the registry does not answer');
  };
  facts: MachineFacts | undefined;
  running: System;

  private constructor(rootHash: string) {
    this.running = { slot: 'A', rootHash };
  }

  /** With a system in slot A, which runs. */
  static async create(menu = 'load_env\nsave_env next_entry\n'): Promise<TestMachine> {
    const system = testSystem('image');
    const machine = new TestMachine(system.rootHash);
    const { folder } = machine.boot;
    mkdirSync(join(folder, 'grub'));
    writeFileSync(join(folder, grubFiles.menu), menu);
    writeFileSync(join(folder, grubFiles.environment), encodeEnvironmentBlock(new Map()));
    const writer = createSlotWriter(machine.access());
    await writer.fill('A', newSystem('A', system));
    await writer.complete('A');
    return machine;
  }

  /** Called before each write to a disk or to META: the power fails when it throws. */
  onWrite: () => void = () => {};

  access(): { readonly boot: PartitionAccess; readonly efi: PartitionAccess } {
    const counted = (partition: TestMachine['boot']): PartitionAccess => {
      const access = accessTo(partition, testMemory);
      return {
        read: access.read,
        write: (work) =>
          access.write((files, flush) => work({ ...files, ...this.#countedWrites(files) }, flush)),
      };
    };
    return { boot: counted(this.boot), efi: counted(this.efi) };
  }

  #countedWrites(files: PartitionFiles): Pick<PartitionFiles, 'write' | 'rename' | 'remove'> {
    const count = () => this.onWrite();
    return {
      async write(path, content) {
        count();
        await files.write(path, content);
      },
      async rename(from, to) {
        count();
        await files.rename(from, to);
      },
      async remove(path) {
        count();
        await files.remove(path);
      },
    };
  }

  /** The firmware starts what GRUB chooses, and machined begins. */
  async powerOn(change: Partial<MachineUpgradesInit> = {}): Promise<MachineUpgrades> {
    const path = join(this.boot.folder, grubFiles.environment);
    const choice = slotChoiceIn(parseEnvironmentBlock(await readFile(path)));
    await writeFile(path, encodeEnvironmentBlock(choiceEnvironment({ ...choice, once: undefined })));
    const wanted = choice.once ?? choice.default ?? 'A';
    return this.startSlot((await this.#rootHash(wanted)) === undefined ? otherSlot(wanted) : wanted, change);
  }

  /** A kernel takes over without the firmware. */
  async startSlot(slot: Slot, change: Partial<MachineUpgradesInit> = {}): Promise<MachineUpgrades> {
    const rootHash = await this.#rootHash(slot);
    if (rootHash === undefined) throw new Error('nothing starts');
    this.running = { slot, rootHash };
    return this.machined(change);
  }

  /** machined of the system that runs. */
  machined(change: Partial<MachineUpgradesInit> = {}): MachineUpgrades {
    const access = this.access();
    const grub = grubFilesOn(this.boot);
    const overwrite: typeof grub.overwrite = async (path, bytes) => {
      this.onWrite();
      await grub.overwrite(path, bytes);
    };
    return new MachineUpgrades({
      ...{ running: this.running, isUefi: false, access, boot: this.boot, platform },
      commandLine: `console=ttyS0 extra nodewright.slot=${this.running.slot} nodewright.roothash=${this.running.rootHash}`,
      loader: createGrubBootLoader({ ...grub, overwrite }),
      replacement: createLoaderReplacement({
        ...{ isUefi: false, boot: this.boot, efi: this.efi, memory: testMemory, checkProgram: undefined },
        bios: async () => this.bios,
        setDefault: async () => {},
      }),
      writer: createSlotWriter(access),
      meta: {
        values: () => this.meta,
        change: async (entries) => {
          this.onWrite();
          const next = new Map(this.meta);
          for (const [key, value] of entries)
            if (value === undefined) next.delete(key);
            else next.set(key, value);
          this.meta = next;
        },
      },
      source: { open: (image, signal) => this.open(image, signal) },
      certificates: async () => [signer.certificate],
      ...{ edition: 'plain', version: 'v1.14.0' },
      etcdVersion: async () => this.etcdVersion,
      missingNow: async () => this.missing,
      isMaintenance: () => this.isMaintenance,
      images: undefined,
      checkUnifiedKernel: undefined,
      startWatchdog: async () => void this.watchdogs.push(this.running.slot),
      restart: (how) => void this.restarts.push(how),
      onChange: (facts) => {
        this.facts = facts;
      },
      signal: new AbortController().signal,
      log: { info() {}, warn() {}, error() {} } as never,
      ...change,
    });
  }

  readonly report = (line: string): void => void this.reports.push(line);

  remove(): void {
    for (const { folder } of [this.boot, this.efi]) rmSync(folder, { recursive: true, force: true });
  }

  async #rootHash(slot: Slot): Promise<string | undefined> {
    try {
      await readFile(join(this.boot.folder, slot, 'SHA256SUMS'));
      return (await readFile(join(this.boot.folder, slot, 'roothash'), 'latin1')).trim();
    } catch {
      return undefined;
    }
  }
}
