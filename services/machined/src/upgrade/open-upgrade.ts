import type { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { release } from 'node:os';
import { systemTimers } from '@nodewright/async';
import {
  createGrubBootLoader,
  createSystemdBootLoader,
  encodeLoaderVariable,
  entryName,
  parseLoaderVariable,
  slotIn,
  upgradeRecordFrom,
} from '@nodewright/boot';
import { buildInfo } from '@nodewright/contract';
import { createModuleLoader, type NativeCalls } from '@nodewright/linux';
import { pointerTo, type State } from '@nodewright/state';
import { machineStatuses } from '@nodewright/state/kinds';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import { imageRootHashOf, readTrustedCertificates } from '../base/host/image-trust.ts';
import type { MountedPartition } from '../base/host/mounted-partition.ts';
import { readIfThere } from '../base/host/read-if-there.ts';
import { specOf } from '../base/resources/spec-of.ts';
import type { MetaStore } from '../config/controllers/meta-store.ts';
import type { NodeEvent } from '../life/domain/node-event.ts';
import { unattendedInstallController } from './controllers/unattended-install.ts';
import { bootedEntryController, upgradeStatusController } from './controllers/upgrade-status.ts';
import type { ArtefactSource } from './domain/artefact-source.ts';
import { isFirstTry } from './domain/first-try.ts';
import { outsideNeedsOf } from './domain/trial-problems.ts';
import { readSetOfSlot } from './host/extension-sets.ts';
import { firmwareCheck } from './host/firmware-check.ts';
import { bootFilesOn, grubFilesOn } from './host/grub-files.ts';
import { createImageAdditions, type ImagePlace } from './host/image-additions.ts';
import { InstallStateHolder } from './host/install-state.ts';
import { type BiosDisk, createLoaderReplacement } from './host/loader-replacement.ts';
import { createLoaderVariableFiles } from './host/loader-variable-files.ts';
import { createMachineStart } from './host/machine-start.ts';
import { MachineUpgrades } from './host/machine-upgrades.ts';
import { createTrialObserver } from './host/observe-trial.ts';
import { accessTo, alignedMemory } from './host/partition-files.ts';
import { createRegistrySource } from './host/registry-source.ts';
import { startRestartWatchdog } from './host/restart-watchdog.ts';
import { createSlotWriter } from './host/slot-writer.ts';
import { UpgradeStateHolder } from './host/upgrade-state.ts';
import { noWatchdog, type Watchdog } from './host/watchdog.ts';
import type { RestartMachine, UpgradeTopic } from './upgrade-topic.ts';

export type { UpgradeTopic } from './upgrade-topic.ts';

export interface OpenUpgradeInit {
  /** The calls that change the machine. */
  readonly calls: Pick<NativeCalls, 'mount' | 'control' | 'addressOf'>;
  readonly boot: MountedPartition;
  readonly efi: MountedPartition;
  /** The node's root, without a trailing slash. */
  readonly root: string;
  /** Of the kernel. */
  readonly commandLine: string;
  /** Root hash of the set that the init has mounted; empty for none. */
  readonly extensionSet: string;
  /** Whether the image has Kubernetes. */
  readonly hasKubernetes: boolean;
  /** Fed since the start of machined. */
  readonly watchdog: Watchdog;
  readonly isSecureBootOn: () => boolean;
  /** The disk as a BIOS sees it; undefined when it has no partition BIOS. @throws Fault */
  readonly bios: () => Promise<BiosDisk | undefined>;
  /** The folders of the image caches of this node. */
  readonly imageCacheRoots: readonly string[];
  /** The images that the configuration, the services and the containers of this node name. @throws Fault */
  readonly namedImages: () => Promise<readonly string[]>;
  /** Where images can be added to them, the preferred place first. */
  readonly imagePlaces: readonly ImagePlace[];
  readonly meta: MetaStore;
  readonly isMaintenance: () => boolean;
  /** Arguments of the kernel that the configuration adds to those of the image. */
  readonly extraKernelArguments: () => readonly string[];
  /** The version of etcd with which this node has written data; undefined without data. */
  readonly etcdVersion: () => Promise<string | undefined>;
  /** Waits until nothing is missing of what a start must show. @param report gets what is missing */
  readonly awaitSoundStart: (report: (problems: readonly string[]) => void) => Promise<boolean>;
  /** Default: registries. */
  readonly source?: ArtefactSource;
  readonly state: State;
  readonly events: { publish(event: NodeEvent): void };
  readonly telemetry: Telemetry;
  /** Aborts when the node stops. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

const efiFolder = '/sys/firmware/efi';
const efiVariables = `${efiFolder}/efivars`;
/** What the first watchdog is, by its driver. */
const watchdogIdentity = '/sys/class/watchdog/watchdog0/identity';
/** How long a machine may take to stop its services before the watchdog resets it. */
const stopMs = 5 * 60_000;

/** The systems on the disk of a machine: upgrades, their trials, and the choice of the boot loader. */
export function openUpgrade(init: OpenUpgradeInit): UpgradeTopic {
  const { calls, boot, efi, root, commandLine, watchdog, state, events, telemetry, signal, log } = init;
  const slot = slotIn(commandLine);
  const running = { slot, rootHash: imageRootHashOf(commandLine) };
  const isUefi = existsSync(efiFolder);
  const variables = createLoaderVariableFiles({ calls, folder: efiVariables });
  const grub = grubFilesOn(boot);
  const loader = isUefi
    ? createSystemdBootLoader({ variables, boot: bootFilesOn(boot), efi: bootFilesOn(efi) })
    : createGrubBootLoader(grub);
  const memory = alignedMemory(calls);
  const access = { boot: accessTo(boot, memory), efi: accessTo(efi, memory) };
  const writer = createSlotWriter(access);
  const timers = systemTimers;
  const holder = new UpgradeStateHolder();
  const status = () => specOf(state, pointerTo(machineStatuses));
  const selectedEntry = async () => {
    if (!isUefi) return undefined;
    return parseLoaderVariable((await variables.read('selected')) ?? new Uint8Array());
  };
  let observe: ReturnType<typeof createTrialObserver> | undefined;
  let restart: RestartMachine = () => log.error({}, 'the machine cannot restart yet');
  let certificates: Promise<readonly X509Certificate[]> | undefined;

  /** Should the machine hang while it stops, the watchdog resets it. */
  const end: RestartMachine = (how) => {
    watchdog.endAfter(stopMs);
    restart(how);
  };
  const checkProgram = init.isSecureBootOn() ? firmwareCheck(efiVariables) : undefined;
  const machine = new MachineUpgrades({
    ...{ running, commandLine, isUefi, loader, boot, access, signal, log },
    replacement: createLoaderReplacement({
      ...{ isUefi, boot, efi, memory, bios: init.bios, checkProgram },
      setDefault: (to) => variables.write('default', encodeLoaderVariable(entryName(to))),
    }),
    writer,
    meta: init.meta,
    source: init.source ?? createRegistrySource({ state, telemetry, nowMs: () => timers.monotonicMs() }),
    certificates: () => {
      certificates ??= readTrustedCertificates(root);
      return certificates;
    },
    platform: { os: 'linux', architecture: process.arch === 'arm64' ? 'arm64' : 'amd64' },
    edition: init.hasKubernetes ? 'kubernetes' : 'plain',
    version: buildInfo.tag,
    etcdVersion: init.etcdVersion,
    missingNow: async () => outsideNeedsOf(await status()),
    isMaintenance: init.isMaintenance,
    extraKernelArguments: init.extraKernelArguments,
    images: createImageAdditions({ roots: init.imageCacheRoots, places: init.imagePlaces }),
    checkUnifiedKernel: checkProgram,
    async startWatchdog() {
      const folder = `/usr/lib/modules/${release()}`;
      await startRestartWatchdog({
        ...{ calls, log, load: createModuleLoader(folder) },
        moduleList: () => readIfThere(`${folder}/modules.dep`)?.toString(),
        readIdentity: () => readIfThere(watchdogIdentity)?.toString(),
      });
    },
    restart: end,
    onChange: (facts) => holder.change({ facts }),
  });

  const start = createMachineStart({
    ...{ slot, machine, watchdog, holder, timers, signal, log },
    isTried: () => isFirstTry(upgradeRecordFrom(init.meta.values()), running),
    // The init has started a watchdog because of the mark.
    ...(watchdog !== noWatchdog && { unmark: () => writer.unmark(slot) }),
    observe: () => {
      observe ??= createTrialObserver({
        ...{ slot, state, log, extensionSet: init.extensionSet, awaitSoundStart: init.awaitSoundStart },
        readSet: () => readSetOfSlot(boot, slot),
      });
      return observe();
    },
    onConfirmed: () => void machine.removeOldImages(init.namedImages),
    publish: (event) => events.publish(event),
    restart: end,
  });

  return {
    controllers: [
      upgradeStatusController(slot, holder),
      bootedEntryController(selectedEntry),
      unattendedInstallController(new InstallStateHolder({ kind: 'installed' })),
    ],
    api: {},
    upgrades: machine,
    ...start,
    machineStops: () => watchdog.endAfter(stopMs),
    beforeRestart: (canKexec, load) => machine.beforeRestart(canKexec, load),
    setRestart(how) {
      restart = how;
    },
  };
}
