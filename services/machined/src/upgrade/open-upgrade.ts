import type { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { pauseBy, systemTimers } from '@nodewright/async';
import {
  createGrubBootLoader,
  createSystemdBootLoader,
  grubFiles,
  type LoadedKernel,
  menuBytes,
  parseLoaderVariable,
  readsEnvironment,
  slotIn,
} from '@nodewright/boot';
import { buildInfo } from '@nodewright/contract';
import { faultFrom } from '@nodewright/fault';
import type { NativeCalls } from '@nodewright/linux';
import { pointerTo, type State } from '@nodewright/state';
import { machineStatuses } from '@nodewright/state/kinds';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import { imageRootHashOf, readTrustedCertificates } from '../base/host/image-trust.ts';
import type { MountedPartition } from '../base/host/mounted-partition.ts';
import { specOf } from '../base/resources/spec-of.ts';
import type { Topic } from '../base/topic.ts';
import type { MetaStore } from '../config/controllers/meta-store.ts';
import type { NodeEvent } from '../life/domain/node-event.ts';
import { bootedEntryController, upgradeStatusController } from './controllers/upgrade-status.ts';
import type { ArtefactSource } from './domain/artefact-source.ts';
import { outsideNeedsOf, trialProblems } from './domain/trial-problems.ts';
import type { Upgrades } from './domain/upgrades.ts';
import { readSetOfSlot } from './host/extension-sets.ts';
import { bootFilesOn, grubFilesOn } from './host/grub-files.ts';
import { createLoaderVariableFiles } from './host/loader-variable-files.ts';
import { MachineUpgrades } from './host/machine-upgrades.ts';
import { accessTo, alignedMemory } from './host/partition-files.ts';
import { createRegistrySource } from './host/registry-source.ts';
import { createSlotWriter } from './host/slot-writer.ts';
import { watchTrial } from './host/trial.ts';
import { UpgradeStateHolder } from './host/upgrade-state.ts';
import { openWatchdog } from './host/watchdog.ts';

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
  /** Descriptor of the watchdog that the init has started; undefined when it has started none. */
  readonly watchdog: number | undefined;
  readonly meta: MetaStore;
  readonly isMaintenance: () => boolean;
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

/** Starts the machine anew: `planned` starts what is chosen, perhaps without the firmware; `firmware` never without it. */
export type RestartMachine = (how: 'planned' | 'firmware') => void;

export interface UpgradeTopic extends Topic {
  readonly upgrades: Upgrades;
  /**
   * Puts in order what came before this start; to be called once, before services start. It never rejects.
   *
   * @returns whether the machine restarts at once
   */
  begin(): Promise<boolean>;
  /** Begins with a staged upgrade. It never rejects. @returns whether the machine restarts at once */
  upgradeStaged(): Promise<boolean>;
  /** Watches the trial of this start, until the node stops. It never rejects. */
  settle(): Promise<void>;
  /** To be called before each planned restart. @throws Fault; the firmware starts the machine then */
  beforeRestart(canKexec: boolean, load: (kernel: LoadedKernel) => Promise<void>): Promise<void>;
  /** Says how the machine restarts. */
  setRestart(restart: RestartMachine): void;
}

const efiFolder = '/sys/firmware/efi';
const efiVariables = `${efiFolder}/efivars`;
/** How long a machine may take to stop its services before the watchdog resets it. */
const stopMs = 5 * 60_000;
const confirmAttempts = 6;
const confirmPauseMs = 10_000;
/** A registry may be out of reach until the network and the clock are up. */
const stagedAttempts = 20;
const stagedPauseMs = 15_000;

/** The systems on the disk of a machine: upgrades, their trials, and the choice of the boot loader. */
export function openUpgrade(init: OpenUpgradeInit): UpgradeTopic {
  const { calls, boot, efi, root, commandLine, state, events, telemetry, signal, log } = init;
  const slot = slotIn(commandLine);
  const isUefi = existsSync(efiFolder);
  const variables = createLoaderVariableFiles({ calls, folder: efiVariables });
  const grub = grubFilesOn(boot);
  const loader = isUefi
    ? createSystemdBootLoader({ variables, boot: bootFilesOn(boot), efi: bootFilesOn(efi) })
    : createGrubBootLoader(grub);
  const memory = alignedMemory(calls);
  const access = { boot: accessTo(boot, memory), efi: accessTo(efi, memory) };
  const timers = systemTimers;
  const watchdog = openWatchdog({ descriptor: init.watchdog, timers, log });
  const holder = new UpgradeStateHolder();
  const status = () => specOf(state, pointerTo(machineStatuses));
  const selectedEntry = async () => {
    if (!isUefi) return undefined;
    return parseLoaderVariable((await variables.read('selected')) ?? new Uint8Array());
  };
  let restart: RestartMachine = () => log.error({}, 'the machine cannot restart yet');
  let certificates: Promise<readonly X509Certificate[]> | undefined;

  const machine = new MachineUpgrades({
    ...{ commandLine, isUefi, loader, boot, access, signal, log },
    running: { slot, rootHash: imageRootHashOf(commandLine) },
    async loaderProblem() {
      const canChoose = isUefi
        ? (await selectedEntry()) !== undefined
        : readsEnvironment((await grub.read(grubFiles.menu, 0, menuBytes))?.toString('latin1') ?? '');
      return canChoose
        ? undefined
        : 'the boot loader of this disk is too old to try a system: install the machine anew with an image of this version';
    },
    writer: createSlotWriter(access),
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
    images: undefined,
    restart: (how) => {
      watchdog.endAfter(stopMs);
      restart(how);
    },
    onChange: (facts) => holder.change({ facts }),
  });

  /** For people: on the console, in the log and among the events. */
  const announce = (message: string) => {
    log.warn({ slot, message }, 'upgrade');
    events.publish({ kind: 'sequence-failed', sequence: 'upgrade', error: { code: 'cancelled', message } });
  };

  let staged: Parameters<MachineUpgrades['upgradeStaged']>[0] | undefined;
  let mode: 'confirmed' | 'trial' | 'by hand' | undefined;

  async function begin(): Promise<boolean> {
    try {
      const start = await machine.start();
      ({ mode, staged } = start);
      holder.change({ mode });
      for (const notice of start.notices) announce(notice);
      if (mode !== 'trial') watchdog.stop();
      if (start.restarts) restart('firmware');
      return start.restarts;
    } catch (error) {
      const { message } = faultFrom(error);
      log.error({ error: message }, 'the systems on the disk cannot be read');
      holder.change({ problem: message });
      // A tried system without its disk would never be confirmed: the system before it may do better.
      if (init.watchdog === undefined) return false;
      restart('firmware');
      return true;
    }
  }

  async function upgradeStaged(): Promise<boolean> {
    if (staged === undefined) return false;
    const report = (line: string) => log.info({ line }, 'staged upgrade');
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        await machine.upgradeStaged(staged, report);
        return true;
      } catch (error) {
        const { kind, message } = faultFrom(error);
        if (kind !== 'unavailable' || attempt === stagedAttempts) {
          announce(`the staged upgrade to ${staged.image} has failed: ${message}`);
          return false;
        }
        log.warn({ error: message }, 'the staged upgrade is tried again');
        await pauseBy(timers, stagedPauseMs, signal);
      }
    }
    return false;
  }

  async function settle(): Promise<void> {
    if (mode !== 'trial') return;
    const { missingBefore = [] } = (await machine.trial()) ?? {};
    const observe = observer(init, slot);
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      const verdict = await watchTrial({
        ...{ missingBefore, observe, timers, signal },
        report: (said) => {
          log.warn(
            said.kind === 'wait' ? { reason: said.reason, paused: said.isPaused } : {},
            'the new system is not confirmed yet',
          );
          holder.change({ verdict: said });
        },
      });
      if (verdict === undefined) return;
      if (verdict.kind === 'give up') return giveUp(verdict.reason);
      try {
        await machine.confirm();
        watchdog.stop();
        mode = 'confirmed';
        holder.change({ mode, verdict: undefined });
        log.info({ slot }, 'the new system is confirmed');
        return;
      } catch (error) {
        const { message } = faultFrom(error);
        log.error({ error: message }, 'the new system cannot be confirmed');
        if (attempt === confirmAttempts) return giveUp(`it could not be confirmed: ${message}`);
        await pauseBy(timers, confirmPauseMs, signal);
      }
    }
  }

  async function giveUp(reason: string): Promise<void> {
    announce(`slot ${slot} is given up: ${reason}`);
    try {
      await machine.giveUp(reason);
    } catch (error) {
      // The default is the way back already, so the firmware goes there without a record, too.
      log.error({ error: faultFrom(error).message }, 'the end of the trial cannot be recorded');
      watchdog.endAfter(stopMs);
      restart('firmware');
    }
  }

  return {
    controllers: [upgradeStatusController(slot, holder), bootedEntryController(selectedEntry)],
    api: {},
    upgrades: machine,
    begin,
    upgradeStaged,
    settle,
    beforeRestart: (canKexec, load) => machine.beforeRestart(canKexec, load),
    setRestart(how) {
      restart = how;
    },
  };
}

/** Looks at the machine during its trial. */
function observer(
  { state, boot, extensionSet, awaitSoundStart, log }: OpenUpgradeInit,
  slot: 'A' | 'B',
): Parameters<typeof watchTrial>[0]['observe'] {
  let missing: readonly string[] = [];
  let isSound = false;
  void awaitSoundStart((problems) => {
    missing = problems;
  }).then((sound) => {
    isSound = sound;
    missing = [];
  });
  let setProblem: Promise<string> | undefined;
  const readSetProblem = () =>
    readSetOfSlot(boot, slot).then(
      (set) =>
        set === undefined || set.rootHash === extensionSet
          ? ''
          : `the set of extensions ${set.rootHash} is not in use`,
      (error: unknown) => {
        log.warn({ error: faultFrom(error).message }, 'the sets of extensions cannot be read');
        return '';
      },
    );
  return async () => {
    setProblem ??= readSetProblem();
    const found = await specOf(state, pointerTo(machineStatuses));
    const ofSet = await setProblem;
    const isRunning = found?.stage === 'running';
    const own = [...(ofSet === '' ? [] : [ofSet]), ...(isRunning ? missing : [])];
    const problems = [
      ...(found === undefined ? [] : trialProblems(found)),
      ...own.map((text) => ({ text, cause: 'node' as const })),
    ];
    return { isReady: isRunning && found.status.ready && isSound && ofSet === '', problems };
  };
}
