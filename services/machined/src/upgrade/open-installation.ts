import { existsSync } from 'node:fs';
import { systemTimers } from '@nodewright/async';
import { createSystemdBootLoader } from '@nodewright/boot';
import { buildInfo } from '@nodewright/contract';
import { createBoundedCalls, type NativeCalls, readDisks } from '@nodewright/linux';
import type { EffectiveConfig } from '@nodewright/machine-config';
import { pointerTo, type State, watchFor } from '@nodewright/state';
import { devicesStatuses, disks } from '@nodewright/state/kinds';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import type { SelectorEvaluator } from '../base/domain/selectors.ts';
import { readTrustedCertificates } from '../base/host/image-trust.ts';
import { createMountedPartition } from '../base/host/mounted-partition.ts';
import type { MetaStore } from '../config/controllers/meta-store.ts';
import type { NodeEvent } from '../life/domain/node-event.ts';
import { unattendedInstallController } from './controllers/unattended-install.ts';
import type { ArtefactSource } from './domain/artefact-source.ts';
import { installAsConfigured } from './host/configured-installation.ts';
import { bootFilesOn } from './host/grub-files.ts';
import { haltIfInstalled } from './host/halt-if-installed.ts';
import type { InstallPort } from './host/install-executor.ts';
import { createInstallMedium } from './host/install-medium.ts';
import { createInstallPort } from './host/install-port.ts';
import { InstallStateHolder } from './host/install-state.ts';
import { createLoaderVariableFiles } from './host/loader-variable-files.ts';
import { MachineInstallation } from './host/machine-installation.ts';
import { alignedMemory } from './host/partition-files.ts';
import { madeByKernel, readContent, readInstallDisks } from './host/read-install-disks.ts';
import { createRegistrySource } from './host/registry-source.ts';
import type { RestartMachine, UpgradeTopic } from './upgrade-topic.ts';

export interface OpenInstallationInit {
  /** The calls that change the machine. */
  readonly calls: NativeCalls;
  /** The node's root, without a trailing slash. */
  readonly root: string;
  /** The folder of STATE, in memory. */
  readonly stateFolder: string;
  /** Names of its files that stay in memory. */
  readonly leftOut: readonly string[];
  /** Of the kernel. */
  readonly commandLine: string;
  /** Path of the device with the medium that the machine was started from; undefined for a disk. */
  readonly medium: string | undefined;
  /** Whether the image has Kubernetes. */
  readonly hasKubernetes: boolean;
  readonly meta: MetaStore;
  readonly configuration: () => EffectiveConfig | undefined;
  readonly isMaintenance: () => boolean;
  /** Keeps the configuration and META as they are until the result is disposed of. @throws Fault */
  readonly holdConfiguration: (reason: string, signal: AbortSignal) => Promise<Disposable>;
  readonly selectors: SelectorEvaluator;
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
/** Folders in memory that only root can read. */
const mountFolder = '/system/run/installation';
/** Threads that disks can occupy when they hang. */
const diskThreads = 3;
const fileSystems = { BOOT: 'ext4', EFI: 'vfat', IMAGECACHE: 'ext4', STATE: 'xfs' } as const;

/** The installation of a machine that has no system disk: it runs in memory. */
export function openInstallation(init: OpenInstallationInit): UpgradeTopic {
  const { calls, root, commandLine, state, events, telemetry, signal, log, medium, meta } = init;
  const timers = systemTimers;
  const isUefi = existsSync(efiFolder);
  const port = createInstallPort(calls);
  const platform = { os: 'linux', architecture: process.arch === 'arm64' ? 'arm64' : 'amd64' };
  const bounded = createBoundedCalls({ limit: diskThreads });
  const holder = new InstallStateHolder();
  let restart: RestartMachine = () => log.error({}, 'the machine cannot restart yet');
  const installation = new MachineInstallation({
    ...{ port, platform, isUefi, commandLine, signal, log },
    medium:
      medium === undefined
        ? undefined
        : createInstallMedium({ calls, device: medium, mountPoint: `${mountFolder}/medium`, platform }),
    source: init.source ?? createRegistrySource({ state, telemetry, nowMs: () => timers.monotonicMs() }),
    certificates: () => readTrustedCertificates(root),
    edition: init.hasKubernetes ? 'kubernetes' : 'plain',
    version: buildInfo.tag,
    async disks(stop) {
      await watchFor(state, pointerTo(devicesStatuses), (found) => found?.spec.ready === true, stop);
      return (await state.list(disks)).map(({ spec }) => spec);
    },
    inspect: (specs) => readInstallDisks(specs, { port, bounded, medium }),
    selectors: init.selectors,
    values: () => meta.values() ?? new Map(),
    isMaintenance: init.isMaintenance,
    holdConfiguration: init.holdConfiguration,
    memory: alignedMemory(calls),
    ...{ stateFolder: init.stateFolder, leftOut: init.leftOut },
    partition: (label, device) =>
      createMountedPartition({
        ...{ calls, label, fileSystem: fileSystems[label], device: async () => device() },
        mountPoint: `${mountFolder}/${label}`,
      }),
    confirmChoice: isUefi
      ? ({ boot, efi }) =>
          createSystemdBootLoader({
            variables: createLoaderVariableFiles({ calls, folder: `${efiFolder}/efivars` }),
            ...{ boot: bootFilesOn(boot), efi: bootFilesOn(efi) },
          }).confirm('A')
      : undefined,
  });

  return {
    controllers: [unattendedInstallController(holder)],
    api: {},
    upgrades: installation,
    async begin() {
      const halts = await haltIfInstalled({
        ...{ commandLine, timers, signal },
        systems: () => systemsOn(port),
        report: (line) => log.error({ line }, 'the machine does not start from its medium'),
      });
      if (halts) restart('firmware');
      return halts;
    },
    upgradeStaged: async () => false,
    async installConfigured(asSequence) {
      const outcome = await installAsConfigured({
        ...{ asSequence, timers, signal, log },
        settings: () => init.configuration()?.install,
        install: (request, report, wish) => installation.installConfigured(request, report, wish),
        onChange: (now) => holder.change(now),
        announce: (message) =>
          events.publish({
            kind: 'sequence-failed',
            sequence: 'install',
            error: { code: 'cancelled', message },
          }),
      });
      if (outcome === 'restart') restart('firmware');
      return outcome !== 'none';
    },
    settle: async () => {},
    // The firmware starts it again: this kernel was started for the medium.
    beforeRestart: async () => {},
    setRestart(how) {
      restart = how;
    },
  };
}

/** The disks that have a system. It is asked for before anything has announced disks. */
async function systemsOn(port: Pick<InstallPort, 'read'>): Promise<readonly string[]> {
  const found = readDisks().filter(({ kind, name }) => kind !== 'cd' && !madeByKernel.test(`/dev/${name}`));
  const read = found.map(async ({ devicePath: path, sizeBytes }) => {
    const { content, detail } = await readContent(path, Number(sizeBytes), port);
    return content === 'system' ? [`${path} (${detail})`] : [];
  });
  return (await Promise.all(read)).flat();
}
