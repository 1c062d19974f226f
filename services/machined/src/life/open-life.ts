import { systemTimers } from '@nodewright/async';
import type { NativeCalls } from '@nodewright/linux';
import type { ServiceManager } from '@nodewright/services';
import type { Logger } from '@nodewright/telemetry';
import type { World } from '../base/domain/world.ts';
import { readIfThere } from '../base/host/read-if-there.ts';
import type { Topic } from '../base/topic.ts';
import { lifeControllers } from './controllers/life-controllers.ts';
import { machineExitCode } from './domain/machine-exit-code.ts';
import type { MachineEnd } from './domain/node-event.ts';
import { awaitStage } from './host/await-stage.ts';
import type { EventStore } from './host/event-store.ts';
import { createKernelConsoles } from './host/kernel-consoles.ts';
import { type BeforeRestart, createNextKernel } from './host/next-kernel.ts';
import { NodeLife, type NodeLifeInit } from './host/node-life.ts';
import { createEvents } from './rpc/events.ts';
import { createMachineControl, type MachineControlInit } from './rpc/machine-control.ts';

export interface OpenLifeInit
  extends Pick<
      NodeLifeInit,
      | 'machineStops'
      | 'wipe'
      | 'wipeUserDisks'
      | 'drain'
      | 'takeTurn'
      | 'assertMayLeave'
      | 'leaveEtcd'
      | 'sendResetSignal'
    >,
    Pick<MachineControlInit, 'cannotEnd' | 'userDiskProblem'> {
  readonly world: World;
  readonly events: EventStore;
  readonly services: ServiceManager;
  /** The machine that this node ends; undefined on a node that has none. */
  readonly machine: EndedMachine | undefined;
  /** The consoles of the kernel show the state of this node: it is the first process of a machine. */
  readonly ownsConsoles: boolean;
  /** Hands addresses that other nodes may take over to them, before the services stop. Never fails. */
  readonly releaseAddresses: () => Promise<void>;
  /** Ends the streams of events after they have sent how the node stops. */
  readonly stopSignal: AbortSignal;
  /** Ends this process in the given way. Called once everything of the node has stopped. */
  readonly end: (end: MachineEnd, exitCode: number) => void;
  readonly log: Logger;
}

export interface EndedMachine {
  readonly calls: Pick<NativeCalls, 'loadKernel'>;
  readonly beforeRestart: BeforeRestart;
  /** Secure Boot of the firmware is on. */
  readonly isSecureBootOn: () => boolean;
}

const kexecFolder = '/system/run/kexec';
/** Source: Talos v1.14: sequences, kexecPrepare. */
const kexecTimeoutMs = 180_000;

export interface LifeTopic extends Topic {
  readonly sequences: Pick<
    NodeLife,
    | 'initialize'
    | 'boot'
    | 'install'
    | 'reboot'
    | 'restart'
    | 'restartUntilDone'
    | 'stop'
    | 'upgrade'
    | 'stageUpgrade'
    | 'rollBack'
  >;
  /** Resolves when the stage of the node is among its events, or after a second: its controllers may have ended. */
  readonly stageTold: () => Promise<void>;
}

/** How long a node that stops waits for its controllers to tell so, in milliseconds. */
const stageTellMs = 1000;

/** The life of the node as a whole: its sequences, status and events, and the calls that end it. */
export function openLife(init: OpenLifeInit, scope: AsyncDisposableStack): LifeTopic {
  const { world, events, services, stopSignal, cannotEnd, userDiskProblem, machine, log } = init;
  const nextKernel =
    machine &&
    createNextKernel({
      ...{ ...machine, log, read: readIfThere },
      ...{ folder: kexecFolder, timeoutMs: kexecTimeoutMs },
    });
  const life = new NodeLife({
    ...{ ...init, nextKernel },
    records: () => services.records(),
    end: (end) => init.end(end, machineExitCode(world, end)),
    async stopServices() {
      await init.releaseAddresses();
      await services[Symbol.asyncDispose]();
    },
  });
  scope.use(services.onChange((record) => life.serviceChanged(record)));
  return {
    controllers: lifeControllers({
      ...{ world, events, services },
      writeConsoles: init.ownsConsoles ? createKernelConsoles(systemTimers) : undefined,
    }),
    api: {
      'machine.MachineService': {
        ...createEvents(events, stopSignal),
        ...createMachineControl({ life, cannotEnd, userDiskProblem }),
      },
    },
    sequences: life,
    stageTold: () => awaitStage(events, AbortSignal.timeout(stageTellMs)),
  };
}
