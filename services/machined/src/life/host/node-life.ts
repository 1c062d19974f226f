import { ChangeSignal, pauseBy, systemTimers, type Timers, untilAborted } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
import { isUpOrFinished, type ServiceRecord } from '@nodewright/services';
import type { Logger } from '@nodewright/telemetry';
import {
  type EndingTasks,
  type RebootKind,
  rebootInTurnSequence,
  rebootSequence,
  resetSequence,
  shutdownSequence,
  upgradeSequence,
} from '../domain/ending-sequences.ts';
import { MachineEnding } from '../domain/machine-ending.ts';
import type { MachineEnd } from '../domain/node-event.ts';
import type { ResetPlan, WipePlan } from '../domain/plan-reset.ts';
import type { Phase, Sequence } from '../domain/run-sequence.ts';
import type { EventStore } from './event-store.ts';
import { type SequenceRequest, SequenceRunner } from './sequence-runner.ts';

export interface NodeLifeInit {
  readonly events: EventStore;
  readonly log: Logger;
  /** The declared services; those that were never started are not waited for. */
  readonly records: () => readonly ServiceRecord[];
  /** Called when the services are to stop because the machine ends: from here on it must not take long. A reset may, so it is not called then. */
  readonly machineStops?: (() => void) | undefined;
  /** Stops every service permanently. */
  readonly stopServices: () => Promise<void>;
  readonly wipe: (plan: WipePlan) => Promise<void>;
  /** Wipes other disks than the system disk; by default a node has none. */
  readonly wipeUserDisks?: ((paths: readonly string[]) => Promise<void>) | undefined;
  /** Cordons and drains the Kubernetes node; undefined on a machine without a kubelet. */
  readonly drain?: EndingTasks['drain'];
  /** Waits for the turn of a restart that tries another system. @param actorId of the call */
  readonly takeTurn?: ((actorId: string, signal: AbortSignal) => Promise<void>) | undefined;
  /** Rejects with the reason when etcd needs the vote of this node. */
  readonly assertMayLeave?: EndingTasks['assertMayLeave'];
  /** Removes this node from etcd while its services still run; undefined when it has no member there. */
  readonly leaveEtcd?: () => ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Notifies the node's controllers of the reset, and waits a moment so that the cluster learns of it. */
  readonly sendResetSignal: (signal: AbortSignal) => Promise<void>;
  /** The kernel that can take over without the firmware; undefined on a node that has none. */
  readonly nextKernel?: EndingTasks['nextKernel'] | undefined;
  /** Ends this process in the given way. Called once everything of the node has stopped. */
  readonly end: (end: MachineEnd) => void;
  /** Default: the timers of the host. */
  readonly timers?: Timers;
}

/** Source: Talos v1.14: sequences, initialize. */
export interface InitializeTasks {
  readonly startMachined: () => void;
  /** Resolves when udevd-bridge was started, and udevd where the node has it; nothing waits for their work here. */
  readonly startDevices: (signal: AbortSignal) => Promise<void>;
  readonly startApid: (signal: AbortSignal) => Promise<void>;
  /** Resolves when there is a complete configuration. */
  readonly loadConfig: (signal: AbortSignal) => Promise<void>;
}

/** Source: Talos v1.14: sequences, boot. */
export interface BootTasks {
  /** Resolves when EPHEMERAL is mounted; undefined where it is a folder. */
  readonly mountEphemeral?: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly startServices: (signal: AbortSignal) => Promise<void>;
}

/**
 * The pause between a call that ends the machine and the first event of its sequence. A client that follows
 * the sequence opens its stream of events at the same time as it makes the call, and receives only later
 * events.
 */
export const watchDelayMs = 1000;

/** The pause before a restart that was refused is requested again. */
const restartPauseMs = 10_000;
/**
 * How long `restartUntilDone()` tries without force. A graceful stop may take 3 minutes and a watchdog of a trial is fed for 5 minutes, so the
 * forced restart comes between them.
 */
const restartForcedAfterMs = 4 * 60_000;

/** The sequences and the stage of the node, published as events. */
export class NodeLife {
  readonly #init: NodeLifeInit;
  readonly #sequences: SequenceRunner;
  readonly #serviceChanged = new ChangeSignal();
  #hasEnded = false;
  #restarting: Promise<void> | undefined;
  readonly #stop = new AbortController();

  constructor(init: NodeLifeInit) {
    this.#init = init;
    const { events, log, timers = systemTimers } = init;
    const publish: EventStore['publish'] = (event, actorId) => events.publish(event, actorId);
    this.#sequences = new SequenceRunner({ publish, log, timers });
  }

  /**
   * The first sequence: it starts the services of every node, also in maintenance, and then loads the
   * configuration.
   */
  async initialize({ startMachined, startDevices, startApid, loadConfig }: InitializeTasks): Promise<void> {
    const phases: readonly Phase[] = [
      { name: 'earlyServices', tasks: { startMachined, startDevices, startApid } },
      { name: 'config', tasks: { loadConfig } },
    ];
    await this.#sequences.run({ name: 'initialize', phases });
  }

  /**
   * The sequence that mounts EPHEMERAL, where it is a partition, starts the other services, and ends once each of them is
   * up or has finished.
   */
  async boot({ mountEphemeral, startServices }: BootTasks): Promise<void> {
    const startAllServices = async (signal: AbortSignal) => {
      await startServices(signal);
      const isWaitedFor = (record: ServiceRecord) =>
        record.state !== 'Initialized' && !isUpOrFinished(record);
      while (!signal.aborted && this.#init.records().some(isWaitedFor)) {
        await this.#serviceChanged.next(signal);
      }
    };
    const ephemeral: Phase[] =
      mountEphemeral === undefined
        ? []
        : [{ name: 'ephemeral', tasks: { mountEphemeralPartition: mountEphemeral } }];
    const phases = [...ephemeral, { name: 'startEverything', tasks: { startAllServices } }];
    await this.#sequences.run({ name: 'boot', phases });
  }

  /** The sequence that installs a system on a disk of this machine. @throws Fault as the task, `cancelled` when another sequence took over */
  async install(task: (signal: AbortSignal) => Promise<void>): Promise<void> {
    await this.#sequences.run({ name: 'install', phases: [{ name: 'install', tasks: { install: task } }] });
  }

  /**
   * Resolves when the sequence is over, whatever its result: that is published as events, with the actor's
   * id.
   */
  reboot(kind: RebootKind, actorId: string): Promise<void> {
    return this.#leave((tasks) => rebootInTurnSequence(kind, tasks), { actorId, delayMs: watchDelayMs });
  }

  /** Like `reboot()`, but it waits for no turn: what restarts the node has it already, or needs none. */
  restart(kind: RebootKind, actorId: string): Promise<void> {
    return this.#leave((tasks) => rebootSequence(kind, tasks), { actorId, delayMs: watchDelayMs });
  }

  /**
   * Restarts a machine that must not go on as it is, such as one that gives up a trial. A restart that another sequence refuses is requested
   * again every 10 s. From 4 minutes on the restart is forced: it cancels any other sequence, and in the end needs none. Further calls join
   * the first one.
   *
   * @param newActorId returns the id for the events of an attempt
   * @returns resolves when the machine ends, by this or by another call
   */
  restartUntilDone(kind: RebootKind, newActorId: () => string): Promise<void> {
    this.#restarting ??= this.#restartUntilDone(kind, newActorId);
    return this.#restarting;
  }

  async #restartUntilDone(kind: RebootKind, newActorId: () => string): Promise<void> {
    const { timers = systemTimers, log } = this.#init;
    const { signal } = this.#stop;
    const patience = new AbortController();
    using _limit = timers.after(restartForcedAfterMs, () => patience.abort());
    const isOver = () => this.#hasEnded || signal.aborted;
    while (!isOver() && !patience.signal.aborted) {
      // A sequence that hangs must not keep the machine from the forced restart.
      await untilAborted(this.restart(kind, newActorId()), patience.signal).catch(() => {});
      if (!isOver()) await pauseBy(timers, restartPauseMs, AbortSignal.any([patience.signal, signal]));
    }
    if (isOver()) return;
    log.warn('the restart has taken too long: it is forced');
    await this.#leave((tasks) => rebootSequence('forced', tasks), {
      actorId: newActorId(),
      hasTakeover: true,
    });
    if (!isOver()) this.#end('reboot');
  }

  /**
   * Like `reboot()`, but it first does the work of an upgrade while the services run. When that fails the machine goes on.
   */
  upgrade(kind: RebootKind, actorId: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    // The work ends with the node. A sequence that takes over, such as a shutdown, does not wait for it.
    const upgrade = (signal: AbortSignal) => untilAborted(work(signal), signal);
    return this.#leave((tasks) => upgradeSequence(kind, upgrade, tasks), { actorId, delayMs: watchDelayMs });
  }

  /** Like `reboot()`, for a machine whose next start begins with an upgrade. */
  stageUpgrade(kind: RebootKind, actorId: string): Promise<void> {
    return this.#leave((tasks) => ({ ...rebootSequence(kind, tasks), name: 'stageUpgrade' }), {
      ...{ actorId, delayMs: watchDelayMs },
    });
  }

  /** Like `reboot()`, but it cancels any other sequence, and its events have no actor. Source: Talos v1.14: rollback */
  rollBack(): Promise<void> {
    return this.#leave((tasks) => rebootSequence('graceful', tasks), {
      ...{ hasTakeover: true, delayMs: watchDelayMs },
    });
  }

  /**
   * Like `reboot()`, but it cancels any other sequence.
   *
   * @param isForced without a drain
   */
  shutDown(actorId: string, isForced = false): Promise<void> {
    return this.#leave((tasks) => shutdownSequence(tasks, isForced), {
      ...{ actorId, hasTakeover: true, delayMs: watchDelayMs },
    });
  }

  /** Like `reboot()`. A node that cannot leave its cluster as requested continues as before. */
  reset(plan: ResetPlan, actorId: string): Promise<void> {
    return this.#leave((tasks) => resetSequence(plan, tasks), { actorId, delayMs: watchDelayMs });
  }

  /**
   * The process received SIGTERM: run a shutdown, unless everything has stopped already. The sender waits some seconds only, so
   * nothing is drained. The signal decides how the process ends, unless a later call does.
   */
  async stop(): Promise<void> {
    this.#stop.abort();
    if (this.#hasEnded) return;
    await this.#leave(
      (tasks) => shutdownSequence(tasks, true),
      { hasTakeover: true },
      () => {},
    );
  }

  /** To be called with every new entry of a service's history. */
  serviceChanged({ id, history, health }: ServiceRecord): void {
    const entry = history.at(-1);
    if (entry === undefined) return;
    this.#init.events.publish({ kind: 'service', service: id, entry, health });
    this.#serviceChanged.notify();
  }

  async #leave(
    sequenceOf: (tasks: EndingTasks) => Sequence,
    request: SequenceRequest,
    end = (kind: MachineEnd) => this.#end(kind),
  ): Promise<void> {
    // Whether this sequence stopped the services: after a refused sequence another one may be ending the
    // machine.
    let areServicesStopped = false;
    const tasks = this.#endingTasks(request.actorId, () => {
      areServicesStopped = true;
      if (sequence.name !== 'reset') this.#init.machineStops?.();
    });
    const sequence = sequenceOf(tasks);
    try {
      await this.#sequences.run(sequence, request);
    } catch (error) {
      if (error instanceof MachineEnding) return end(error.end);
      // A machine without services is useless: a restart recovers what it can.
      if (areServicesStopped && faultFrom(error).kind !== 'cancelled') end('reboot');
    }
  }

  #endingTasks(actorId: string | undefined, onStop: () => void): EndingTasks {
    const { events, stopServices, sendResetSignal, wipe, wipeUserDisks, leaveEtcd, nextKernel } = this.#init;
    const { takeTurn } = this.#init;
    return {
      takeTurn: takeTurn && ((signal) => takeTurn(actorId ?? '', signal)),
      drain: this.#init.drain,
      assertMayLeave: this.#init.assertMayLeave,
      ...(nextKernel && { nextKernel }),
      stopAllServices: async (signal) => {
        onStop();
        await untilAborted(stopServices(), signal);
      },
      leaveEtcd: leaveEtcd?.(),
      sendResetSignal,
      wipe: async (plan, signal) => {
        await untilAborted(wipe(plan), signal);
      },
      wipeUserDisks: async (paths, signal) => {
        await untilAborted(wipeUserDisks?.(paths), signal);
      },
      tell: (event) => events.publish(event, actorId),
    };
  }

  #end(end: MachineEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#init.log.info({ end }, 'machine ends');
    this.#init.end(end);
  }
}
