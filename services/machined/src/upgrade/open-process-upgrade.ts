import { existsSync } from 'node:fs';
import { systemTimers, type Timers } from '@nodewright/async';
import {
  containerForm,
  createFolderBootLoader,
  isSlot,
  type Slot,
  type System,
  slotFiles,
  slotFolderFiles,
  upgradeRecordFrom,
} from '@nodewright/boot';
import { buildInfo } from '@nodewright/contract';
import { platformOfNode } from '@nodewright/oci';
import { pointerTo, type State } from '@nodewright/state';
import { machineStatuses } from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';
import { specOf } from '../base/resources/spec-of.ts';
import type { MetaStore } from '../config/controllers/meta-store.ts';
import type { NodeEvent } from '../life/domain/node-event.ts';
import { upgradeStatusController } from './controllers/upgrade-status.ts';
import type { ArtefactSource } from './domain/artefact-source.ts';
import { isFirstTry } from './domain/first-try.ts';
import { placedProcessFiles, processDigests } from './domain/process-slot.ts';
import { outsideNeedsOf } from './domain/trial-problems.ts';
import {
  type ContainerArtefacts,
  containerSystems,
  createdForm,
  keepCreatedImage,
} from './host/container-systems.ts';
import { openLifeSign } from './host/life-sign.ts';
import { createMachineStart } from './host/machine-start.ts';
import { MachineUpgrades } from './host/machine-upgrades.ts';
import { createTrialObserver } from './host/observe-trial.ts';
import { accessTo, type PartitionFiles } from './host/partition-files.ts';
import { keepRunningPrograms } from './host/running-programs.ts';
import { certificatesOf, createSlotFolder, runningSystem, slotFolderFilesOn } from './host/slot-folder.ts';
import { createSlotWriter } from './host/slot-writer.ts';
import { UpgradeStateHolder } from './host/upgrade-state.ts';
import { noWatchdog } from './host/watchdog.ts';
import type { RestartMachine, UpgradeTopic } from './upgrade-topic.ts';

export interface OpenProcessUpgradeInit {
  /** The certificates of the keys that sign artefacts for the system that the node was created with. */
  readonly trustedCertificates: string;
  /** The folder with the slots. */
  readonly slots: string;
  /** What the supervisor has started: `A`, `B`, or `none` for the programs of the cluster. */
  readonly systemSlot: string;
  /** How the run before this one ended; empty when the supervisor does not know. */
  readonly lastEnd: string;
  /** The folder with the bundles that run. */
  readonly servicesFolder: string;
  readonly hasEtcd: boolean;
  readonly hasKubernetes: boolean;
  readonly source: ArtefactSource;
  /** The store of a node that is one container; undefined for a node of processes. */
  readonly container?: ContainerArtefacts | undefined;
  readonly meta: MetaStore;
  readonly isMaintenance: () => boolean;
  /** The version of etcd with which this node has written data; undefined without data. */
  readonly etcdVersion: () => Promise<string | undefined>;
  readonly state: State;
  readonly events: { publish(event: NodeEvent): void };
  /** Aborts when the node stops. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Default: those of the host. */
  readonly timers?: Timers;
}

/** How long a node may take to stop its services. */
const stopMs = 5 * 60_000;

/** The systems of a node of processes, or of one container: what its supervisor, or the keeper of its cluster, starts it with. */
export function openProcessUpgrade(init: OpenProcessUpgradeInit): UpgradeTopic {
  const { slots, trustedCertificates, hasEtcd, hasKubernetes, state, events, signal, log } = init;
  const startedSlot: Slot | undefined = isSlot(init.systemSlot) ? init.systemSlot : undefined;
  const boot = createSlotFolder(slots);
  const files = accessTo(boot, undefined);
  const access = { boot: files, efi: files };
  const writeCertificates = (on: PartitionFiles, slot: Slot, texts: readonly string[]) =>
    on.write(`${slot}/${slotFolderFiles.certificates}`, [Buffer.from(texts.join('\n'))]);
  const container = init.container && containerSystems({ store: init.container, writeCertificates });
  const form = container?.form ?? { check: async () => {}, digests: processDigests };
  const writer = createSlotWriter({ ...access, form });
  const loader = createFolderBootLoader(slotFolderFilesOn(boot), container && containerForm);
  const certificates = () => certificatesOf(trustedCertificates, slots, init.systemSlot);
  const holder = new UpgradeStateHolder();
  const timers = init.timers ?? systemTimers;
  let running = runningSystem(slots, startedSlot);
  let isKept = startedSlot !== undefined;
  let restart: RestartMachine = () => log.error({}, 'the node cannot restart yet');
  const mark = `${slots}/${running.slot}/${slotFiles.trial}`;
  const isMarked = existsSync(mark);
  const watchdog = isMarked
    ? openLifeSign({ path: `${slots}/${running.slot}/${slotFolderFiles.alive}`, mark, timers, log })
    : noWatchdog;
  /** Should the node hang while it stops, its supervisor ends it. */
  const end: RestartMachine = (how) => {
    watchdog.endAfter(stopMs);
    restart(how);
  };
  const keeping = {
    isKept: () => isKept,
    writeCertificates: async (on: PartitionFiles, slot: Slot) =>
      writeCertificates(on, slot, (await certificates()).map(String)),
    onKept(system: System) {
      running = system;
      isKept = true;
    },
  };
  const machine = new MachineUpgrades({
    get running() {
      return running;
    },
    ...{ commandLine: '', isUefi: false, loader, boot, access, writer, certificates, signal, log },
    replacement:
      container === undefined
        ? keepRunningPrograms({ ...keeping, servicesFolder: init.servicesFolder, writer })
        : keepCreatedImage({ ...keeping, writer: createSlotWriter({ ...access, form: createdForm }) }),
    kind: container?.kind ?? {
      nodeKind: 'process',
      placedFiles: (slot, offered) => placedProcessFiles(slot, offered, { hasEtcd, hasKubernetes }),
      place: 'the folder of this node',
      writeMore: (on, slot, description) => writeCertificates(on, slot, description.certificates),
    },
    meta: init.meta,
    source: container?.source ?? init.source,
    platform: platformOfNode(process.arch),
    edition: hasKubernetes ? 'kubernetes' : undefined,
    version: buildInfo.tag,
    lastEnd: init.lastEnd === '' ? undefined : init.lastEnd,
    etcdVersion: init.etcdVersion,
    missingNow: async () => outsideNeedsOf(await specOf(state, pointerTo(machineStatuses))),
    isMaintenance: init.isMaintenance,
    images: undefined,
    checkUnifiedKernel: undefined,
    startWatchdog: async () => {},
    restart: end,
    onChange: (facts) => holder.change({ facts }),
  });

  const { slot } = running;
  const start = createMachineStart({
    ...{ slot, machine, holder, timers, signal, log },
    watchdog,
    isTried: () => isFirstTry(upgradeRecordFrom(init.meta.values()), running),
    ...(isMarked && { unmark: () => writer.unmark(slot) }),
    observe: observerOf(init, slot),
    publish: (event) => events.publish(event),
    restart: end,
  });

  return {
    controllers: [upgradeStatusController(slot, holder)],
    api: {},
    upgrades: machine,
    ...start,
    machineStops: () => watchdog.endAfter(stopMs),
    beforeRestart: (_canKexec, load) => machine.beforeRestart(false, load),
    setRestart(how) {
      restart = how;
    },
  };
}

/** Such a node has neither modules nor extensions of its own: its stage and its services are what counts. */
function observerOf({ state, log }: OpenProcessUpgradeInit, slot: Slot) {
  let observe: ReturnType<typeof createTrialObserver> | undefined;
  return () => {
    observe ??= createTrialObserver({
      ...{ slot, state, log, extensionSet: '' },
      awaitSoundStart: async () => true,
      readSet: async () => undefined,
    });
    return observe();
  };
}
