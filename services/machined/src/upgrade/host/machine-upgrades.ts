import type { X509Certificate } from 'node:crypto';
import {
  type BootLoader,
  isCommitted,
  isSameSystem,
  knownRecord,
  type LoadedKernel,
  type MachineFacts,
  type MachineStart,
  metaValues,
  type OutsideNeed,
  otherSlot,
  planConfirm,
  planDisarm,
  planGiveUp,
  planRestart,
  planRollback,
  planStage,
  planStart,
  planUpgrade,
  recordStep,
  type Slot,
  type System,
  shortReason,
  slotFiles,
  type UpgradePlan,
  type UpgradeRecord,
  type UpgradeStep,
  upgradeRecordFrom,
} from '@nodewright/boot';
import { Fault, faultFrom } from '@nodewright/fault';
import type {
  ArtefactDescription,
  ArtefactFile,
  ArtefactSink,
  Edition,
  NodeKind,
  VerifiedArtefact,
} from '@nodewright/installer';
import type { Platform } from '@nodewright/oci';
import type { Logger } from '@nodewright/telemetry';
import type { MountedPartition } from '../../base/host/mounted-partition.ts';
import { isOnlyInStore } from '../domain/artefact-name.ts';
import type { ArtefactContent, ArtefactSource } from '../domain/artefact-source.ts';
import { chooseExtensions } from '../domain/choose-extensions.ts';
import {
  checkSpace,
  lackingBytes,
  type PlacedFile,
  placedFiles,
  temporaryName,
  unifiedKernelOf,
} from '../domain/slot-plan.ts';
import { encodeStagedOptions, parseStagedOptions, type StagedOptions } from '../domain/staged-options.ts';
import type { SystemRequest, Upgrades } from '../domain/upgrades.ts';
import { type NewSet, openNewSet, readSetOfSlot } from './extension-sets.ts';
import type { ImageAdditions } from './image-additions.ts';
import { addKernelArguments, requireKernelArguments } from './kernel-arguments.ts';
import {
  type LoaderFiles,
  type LoaderReplacement,
  loaderFilesBytes,
  loaderFolder,
} from './loader-replacement.ts';
import type { PartitionAccess, PartitionFiles } from './partition-files.ts';
import { runSteps } from './run-steps.ts';
import type { NewSystem, SlotWriter } from './slot-writer.ts';

/** META, as far as this needs it. */
export interface UpgradeMeta {
  values(): ReadonlyMap<number, Uint8Array> | undefined;
  change(entries: ReadonlyMap<number, Uint8Array | undefined>): Promise<void>;
}

export interface MachineUpgradesInit {
  /** By the command line of the kernel. */
  readonly running: System;
  /** Of the kernel that runs. */
  readonly commandLine: string;
  /** The firmware is UEFI: it starts unified kernels. */
  readonly isUefi: boolean;
  readonly loader: BootLoader;
  readonly replacement: LoaderReplacement;
  readonly writer: SlotWriter;
  readonly boot: MountedPartition;
  readonly access: { readonly boot: PartitionAccess; readonly efi: PartitionAccess };
  readonly meta: UpgradeMeta;
  readonly source: ArtefactSource;
  /** Those that the running image trusts. */
  readonly certificates: () => Promise<readonly X509Certificate[]>;
  readonly platform: Platform;
  /** Undefined: this node may have an artefact of any edition, because it uses nothing that only one of them has. */
  readonly edition: Edition | undefined;
  readonly version: string;
  /** Default: a machine. */
  readonly kind?: SystemKind;
  /** How the run before this one ended; undefined where nothing outlives it. */
  readonly lastEnd?: string | undefined;
  /** Of the etcd of this system when it has written data on this node; undefined without data. */
  readonly etcdVersion: () => Promise<string | undefined>;
  readonly missingNow: () => Promise<readonly OutsideNeed[]>;
  /** The node has no complete configuration. */
  readonly isMaintenance: () => boolean;
  /** Examines a unified kernel that is to be started; undefined where the firmware verifies nothing. @throws Fault `failed-precondition` */
  readonly checkUnifiedKernel: NewSystem['checkUnifiedKernel'];
  /** Arguments of the kernel that the configuration adds to those of the image. Default: none. */
  readonly extraKernelArguments?: () => readonly string[];
  /** Adds the images of a new system to the caches of this node. */
  readonly images: ImageAdditions | undefined;
  /** Starts a watchdog that runs on while the other system is started without the firmware. It never rejects. */
  readonly startWatchdog: () => Promise<void>;
  /** Restarts the machine: `planned` starts what is chosen, perhaps without the firmware; `firmware` never without it. */
  readonly restart: (how: 'planned' | 'firmware') => void;
  /** Called after each change of the systems, with what there is. */
  readonly onChange: (facts: MachineFacts) => void;
  /** Aborts when the node stops. */
  readonly signal: AbortSignal;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

const anUpgrade = 'an upgrade';

/** What differs between nodes of several kinds that have two slots. */
export interface SystemKind {
  readonly nodeKind: NodeKind;
  /** The files of the artefact that the slot gets, with their places. */
  placedFiles(slot: Slot, offered: readonly ArtefactFile[]): readonly PlacedFile[];
  /** What the place of the slots is called when it has no room. Default: the partition BOOT. */
  readonly place?: string;
  /** Writes what the slot has besides the files of the artefact. */
  readonly writeMore?: (files: PartitionFiles, slot: Slot, description: ArtefactDescription) => Promise<void>;
}

const machineKind: SystemKind = { nodeKind: 'machine', placedFiles };

/** Upgrades a machine, and what its start, its trial and its restart need. */
export class MachineUpgrades implements Upgrades {
  readonly #init: MachineUpgradesInit;
  #busy: { readonly what: string; readonly isOver: Promise<void> } | undefined;

  constructor(init: MachineUpgradesInit) {
    this.#init = init;
  }

  isInstalled(): boolean {
    return true;
  }

  isBusy(): boolean {
    return this.#busy !== undefined;
  }

  async install(): Promise<void> {
    throw new Fault('already-exists', 'this machine runs an installed system already');
  }

  upgrade(request: SystemRequest, report: (line: string) => void): Promise<void> {
    return this.#alone(anUpgrade, async () => {
      const { etcdVersion, missingNow } = this.#init;
      await this.#upgrade(request, report, {
        etcdVersion: await etcdVersion(),
        missingBefore: await missingNow(),
      });
    });
  }

  stage(request: SystemRequest): Promise<void> {
    return this.#alone(anUpgrade, async () => {
      const { image, ...options } = request;
      if (request.extensionSet !== undefined)
        throw new Fault(
          'failed-precondition',
          'a staged upgrade takes no set of extensions: upgrade at once, and restart later',
        );
      this.#refuseInMaintenance();
      const { etcdVersion, missingNow, replacement } = this.#init;
      const before = { etcdVersion: await etcdVersion(), missingBefore: await missingNow() };
      const staged = { image, options: encodeStagedOptions({ ...options, ...before }) };
      const facts = await this.#facts();
      // An old loader has no choice that could be put in order first: the upgrade replaces it.
      const plan = (await replacement.isOld())
        ? { steps: [recordStep(knownRecord(facts), { trial: undefined, staged })] }
        : planStage(facts, staged);
      stepsOf(plan);
      await this.#requireInStore(image);
      chooseExtensions(request, await this.#presentExtensions());
      await this.#follow(plan);
    });
  }

  rollback(): Promise<void> {
    return this.#alone('a rollback', async () => {
      const plan = planRollback(await this.#facts());
      const steps = stepsOf(plan);
      if ((await this.#run(steps)) !== undefined) this.#init.restart('firmware');
    });
  }

  disarm(): Promise<void> {
    return this.#alone('the end of an upgrade', async () => this.#follow(planDisarm(await this.#facts())));
  }

  /**
   * Puts in order what came before this start. It is to be called once, before anything else of this class.
   *
   * @returns what the start is, and whether the machine restarts at once
   * @throws Fault when the boot loader cannot be read or changed
   */
  async start(): Promise<MachineStart & { readonly restarts: boolean }> {
    const start = planStart(await this.#facts());
    const by = await this.#run(start.steps);
    return { ...start, restarts: by !== undefined };
  }

  /** Begins with an upgrade that was staged. @throws Fault as `upgrade()` */
  async upgradeStaged(
    staged: NonNullable<MachineStart['staged']>,
    report: (line: string) => void,
  ): Promise<void> {
    await this.#alone(anUpgrade, async () => {
      const { etcdVersion, missingBefore, ...options } = parseStagedOptions(staged.options);
      await this.#upgrade({ image: staged.image, ...options }, report, { etcdVersion, missingBefore });
    });
    this.#init.restart('planned');
  }

  /** Keeps the tried system. @throws Fault when the next start would not have it */
  confirm(): Promise<void> {
    return this.#alone('a confirmation', async () => {
      const facts = await this.#facts();
      const { trial } = knownRecord(facts);
      try {
        await this.#follow(planConfirm(facts));
      } catch (error) {
        const { boot } = await this.#facts();
        if (trial === undefined || !isCommitted(boot, trial)) throw error;
        // The default is what counts: the next start puts the record in order.
        this.#init.log.warn({ error: faultFrom(error).message }, 'the confirmation is not recorded');
      }
    });
  }

  /** Goes back to the system before this one. @throws Fault */
  async giveUp(reason: string): Promise<void> {
    await this.#follow(planGiveUp(await this.#facts(), reason));
    this.#init.restart('firmware');
  }

  /**
   * Records why the running system, if it is tried, is left. The boot loader may be what cannot be read, so nothing else is looked at or changed.
   *
   * @throws Fault when META cannot be written
   */
  async recordFailure(reason: string): Promise<void> {
    const { meta, running } = this.#init;
    const record = upgradeRecordFrom(meta.values());
    if (record === 'lost' || record.trial === undefined) return;
    if (!isSameSystem(record.trial.system, running)) return;
    const trial = { ...record.trial, phase: 'given up', reason: shortReason(reason) } as const;
    await this.#writeRecord({ ...record, trial });
  }

  /**
   * Puts in order what the next start needs, once a confirmation or a rollback that runs has ended.
   *
   * @param load loads a kernel that the machine can be ended with
   * @throws Fault; the firmware starts the machine then. `failed-precondition` while an upgrade runs: it may be changing what a kernel would
   * be loaded from, and the boot loader decides better what is whole
   */
  async beforeRestart(canKexec: boolean, load: (kernel: LoadedKernel) => Promise<void>): Promise<void> {
    if (this.#busy?.what === anUpgrade)
      throw new Fault('failed-precondition', `${anUpgrade} of this machine is in progress`);
    await this.#busy?.isOver;
    await this.#alone('a restart', () => this.#prepareRestart(canKexec, load));
  }

  async #prepareRestart(canKexec: boolean, load: (kernel: LoadedKernel) => Promise<void>): Promise<void> {
    const steps = planRestart(await this.#facts(), { canKexec });
    const { running, commandLine, startWatchdog } = this.#init;
    const loaded = steps.find((step) => step.kind === 'load kernel')?.slot;
    // The same system goes on with the words that somebody has added to its command line.
    const withLine = (kernel: LoadedKernel) =>
      loaded === running.slot ? { ...kernel, commandLine } : kernel;
    await this.#run(steps, { load: (kernel) => load(withLine(kernel)) });
    if (loaded !== undefined && loaded !== running.slot) await startWatchdog();
  }

  /**
   * Removes the images of earlier versions that neither the running system nor a name needs. It never rejects: when it cannot, the next
   * confirmation tries again. No upgrade begins meanwhile, because it adds content before the names that lead to it.
   *
   * @param namedImages the images that the configuration, the services and the containers of this node name. @throws Fault
   */
  async removeOldImages(namedImages: () => Promise<readonly string[]>): Promise<void> {
    const { images, running, log } = this.#init;
    if (images === undefined) return;
    try {
      const named = await namedImages();
      const { rootHash } = running;
      await this.#alone('the removal of old images', () =>
        images.removeOld({ rootHash, log, namedImages: async () => named }),
      );
    } catch (error) {
      log.warn({ error: faultFrom(error).message }, 'the images of earlier versions are not removed');
    }
  }

  /** The trial that runs; undefined without one. */
  async trial() {
    const { record } = await this.#facts();
    return record === 'lost' ? undefined : record.trial;
  }

  async #upgrade(
    request: SystemRequest,
    report: (line: string) => void,
    { etcdVersion, missingBefore }: Pick<StagedOptions, 'etcdVersion' | 'missingBefore'>,
  ): Promise<void> {
    const { source, certificates, platform, version, running, signal, kind = machineKind } = this.#init;
    const { images, replacement } = this.#init;
    this.#refuseInMaintenance();
    const extra = this.#init.extraKernelArguments?.() ?? [];
    requireKernelArguments(extra);
    const hasOldLoader = await replacement.isOld();
    // What the record refuses is said before anything is read. An old loader knows nothing of slots.
    if (!hasOldLoader) stepsOf(planUpgrade(await this.#facts(), { rootHash: '', missingBefore }));
    const present = await this.#presentExtensions();
    const setFile = chooseExtensions(request, present);
    if (present !== undefined && setFile === undefined)
      report(`the extensions are dropped: ${present.join(', ')}`);

    // Loaded on demand: most machines are never upgraded between two starts.
    const { checkTarget, filesFor, readArtefact, verifyArtefact } = await import('@nodewright/installer');
    await using content = await source.open(request.image, signal);
    const trusted = await certificates();
    const artefact = await verifyArtefact(content, { certificates: trusted, platform });
    const { description } = artefact;
    const { allowsDowngrade } = request;
    checkTarget(description, {
      ...{ nodeKind: kind.nodeKind, version, allowsDowngrade },
      edition: this.#init.edition ?? description.edition,
      ...(etcdVersion === undefined ? {} : { etcdVersion }),
    });
    const slot = otherSlot(running.slot);
    const set =
      setFile === undefined
        ? undefined
        : await openNewSet({
            ...{ file: setFile, certificates: trusted, slot, imageRootHash: description.rootHash },
          });
    const offered = filesFor(kind.nodeKind, description);
    // Only a machine has a kernel with a command line.
    if (kind.nodeKind === 'machine')
      await checkArguments({ slot, extra, content, artefact, readArtefact, signal });
    const files = await this.#fittingFiles(offered, set, report);
    const additions = await images?.plan(offered, description.rootHash);
    if (hasOldLoader) {
      report(replacement.notice);
      await replacement.replace(await readLoaderFiles(content, artefact, readArtefact, signal));
    }
    report(`${description.version} is written into slot ${slot}`);
    const { rootHash } = description;
    const system: NewSystem = {
      ...{ files, rootHash },
      read: (sink, isWanted) => {
        const read = (writeImage?: ArtefactSink['write']) =>
          readArtefact(content, artefact, {
            signal,
            isWanted: (file) => isWanted(file) || additions?.isWanted(file) === true,
            sink: {
              async write(file, bytes) {
                await (isWanted(file) ? sink.write(file, bytes) : writeImage?.(file, bytes));
              },
            },
          });
        // Before the trial: the new system needs them from its first start on.
        return additions === undefined ? read() : additions.add(read);
      },
      checkUnifiedKernel: this.#init.checkUnifiedKernel,
      finish: (on) => addKernelArguments(on, { slot, tag: description.version, extra }),
      async writeMore(on) {
        await set?.write(on);
        await kind.writeMore?.(on, slot, description);
      },
      checkMore: set && ((on) => set.check(on)),
    };
    const plan = planUpgrade(await this.#facts(), { rootHash, missingBefore });
    try {
      await this.#follow(plan, { system });
    } catch (error) {
      await this.#withdraw({ slot, rootHash });
      throw error;
    }
    report(`the next start tries ${description.version} in slot ${slot}`);
  }

  /** Forgets a trial that was recorded and cannot be chosen, and its system. What fails here is put in order by the next start. */
  async #withdraw(system: System): Promise<void> {
    try {
      const facts = await this.#facts();
      const { trial } = knownRecord(facts);
      if (trial === undefined || !isSameSystem(trial.system, system)) return;
      await this.#run([...stepsOf(planDisarm(facts)), { kind: 'empty slot', slot: system.slot }]);
    } catch (error) {
      this.#init.log.warn({ error: faultFrom(error).message }, 'the trial that failed stays recorded');
    }
  }

  /** @throws Fault `failed-precondition` with the figures when the files do not fit */
  async #fittingFiles(
    offered: readonly ArtefactFile[],
    set: NewSet | undefined,
    report: (line: string) => void,
  ): Promise<readonly PlacedFile[]> {
    const { access, isUefi, running, kind = machineKind } = this.#init;
    const slot = otherSlot(running.slot);
    const files = kind.placedFiles(slot, offered);
    const sizesOn = (name: PlacedFile['partition']) =>
      files.filter(({ partition }) => partition === name).map(({ sizeBytes }) => sizeBytes);
    checkSpace({
      ...({ partition: 'BOOT', place: kind.place } as const),
      ...(await access.boot.read(async (on) => ({
        ...{ freeBytes: await on.freeBytes(), replacedBytes: await on.sizeOf(slot) },
      }))),
      sizes: [...sizesOn('BOOT'), ...(set?.sizes ?? [])],
    });
    const kernel = unifiedKernelOf(slot);
    const efi = {
      partition: 'EFI',
      ...(await access.efi.read(async (on) => ({
        freeBytes: await on.freeBytes(),
        // An upgrade that was interrupted has left its file under the other name.
        replacedBytes: (await on.sizeOf(kernel)) + (await on.sizeOf(temporaryName(kernel))),
      }))),
      sizes: sizesOn('EFI'),
    } as const;
    if (isUefi) checkSpace(efi);
    else if (lackingBytes(efi) > 0) {
      report('the partition EFI has no room: this disk starts the new system with a BIOS only');
      return files.filter(({ partition }) => partition !== 'EFI');
    }
    return files;
  }

  async #presentExtensions(): Promise<readonly string[] | undefined> {
    const { boot, running } = this.#init;
    return (await readSetOfSlot(boot, running.slot))?.extensions;
  }

  /** What no registry has must be here when it is staged: the next start can take it from nowhere else. @throws Fault `not-found` */
  async #requireInStore(image: string): Promise<void> {
    if (!isOnlyInStore(image)) return;
    await using _content = await this.#init.source.open(image, this.#init.signal);
  }

  #refuseInMaintenance(): void {
    if (this.#init.isMaintenance())
      throw new Fault(
        'failed-precondition',
        'this machine has no configuration: apply one before it is upgraded',
      );
  }

  async #alone<T>(what: string, work: () => Promise<T>): Promise<T> {
    if (this.#busy !== undefined)
      throw new Fault('failed-precondition', `${this.#busy.what} of this machine is in progress`);
    const { promise: isOver, resolve } = Promise.withResolvers<void>();
    this.#busy = { what, isOver };
    try {
      return await work();
    } finally {
      this.#busy = undefined;
      resolve();
    }
  }

  async #follow(plan: UpgradePlan, input: Parameters<typeof runSteps>[2] = {}): Promise<void> {
    await this.#run(stepsOf(plan), input);
  }

  async #run(steps: readonly UpgradeStep[], input: Parameters<typeof runSteps>[2] = {}) {
    const { loader, writer, log, onChange } = this.#init;
    const writeRecord = (record: UpgradeRecord) => this.#writeRecord(record);
    try {
      return await runSteps(steps, { loader, writer, log, writeRecord }, input);
    } finally {
      await this.#facts().then(onChange, (error: unknown) =>
        log.warn({ error: faultFrom(error).message }, 'the systems of this machine cannot be read'),
      );
    }
  }

  async #writeRecord(record: UpgradeRecord): Promise<void> {
    try {
      await this.#init.meta.change(metaValues(record));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new Fault('failed-precondition', error.message, { cause: error });
    }
  }

  async #facts(): Promise<MachineFacts> {
    const { running, loader, meta, lastEnd } = this.#init;
    const record = upgradeRecordFrom(meta.values());
    return { running, boot: await loader.state(), record, ...(lastEnd !== undefined && { lastEnd }) };
  }
}

/** The files of the boot loader, in memory: they are small. */
async function readLoaderFiles(
  content: ArtefactContent,
  artefact: VerifiedArtefact,
  readArtefact: typeof import('@nodewright/installer').readArtefact,
  signal: AbortSignal,
): Promise<LoaderFiles> {
  const files = new Map<string, Buffer>();
  const wanted = artefact.description.layers.flat().filter(({ path }) => path.startsWith(loaderFolder));
  if (wanted.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) > loaderFilesBytes)
    throw new Fault(
      'invalid-argument',
      `the boot loaders of the artefact have more than ${loaderFilesBytes} bytes`,
    );
  const sink: ArtefactSink = {
    async write({ path }, bytes) {
      files.set(path, Buffer.concat(await Array.fromAsync(bytes)));
    },
  };
  await readArtefact(content, artefact, { signal, sink, isWanted: (file) => wanted.includes(file) });
  return files;
}

/**
 * Checks the arguments together with the command line of the new system before anything is written, if the artefact has that where it can be read
 * alone. Otherwise they are checked when the system is written, and before the slot is complete.
 *
 * @throws Fault `failed-precondition`
 */
async function checkArguments(init: {
  readonly slot: Slot;
  readonly extra: readonly string[];
  readonly content: ArtefactContent;
  readonly artefact: VerifiedArtefact;
  readonly readArtefact: typeof import('@nodewright/installer').readArtefact;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { slot, extra, content, artefact, readArtefact, signal } = init;
  const path = `machine/${slot}/${slotFiles.commandLine}`;
  if (extra.length === 0 || !isNearStart(artefact.description.layers, path)) return;
  const found = new AbortController();
  let line = '';
  const sink: ArtefactSink = {
    async write(_file, bytes) {
      line = Buffer.concat(await Array.fromAsync(bytes)).toString('latin1');
      found.abort();
    },
  };
  try {
    const stop = AbortSignal.any([signal, found.signal]);
    await readArtefact(content, artefact, { sink, isWanted: (file) => file.path === path, signal: stop });
  } catch (error) {
    if (!found.signal.aborted || signal.aborted) throw error;
  }
  requireKernelArguments(extra, line);
}

/** What is before a file in its layer has to be read, too. */
const nearBytes = 1 << 20;

function isNearStart(layers: readonly (readonly ArtefactFile[])[], path: string): boolean {
  const layer = layers.find((files) => files.some((file) => file.path === path)) ?? [];
  const until = layer.slice(0, layer.findIndex((file) => file.path === path) + 1);
  return until.length > 0 && until.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) <= nearBytes;
}

/** @throws Fault `failed-precondition` for a refusal */
function stepsOf(plan: UpgradePlan): readonly UpgradeStep[] {
  if ('refusal' in plan) throw new Fault('failed-precondition', plan.refusal);
  return plan.steps;
}
