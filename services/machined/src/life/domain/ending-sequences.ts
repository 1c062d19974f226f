// The sequences that end a machine, as tables: upstream's phases that apply to a node of processes or of
// containers. Source: Talos v1.14: sequences, phases and tasks.

import { MachineEnding } from './machine-ending.ts';
import type { MachineEnd, NodeEvent } from './node-event.ts';
import type { ResetPlan, WipePlan } from './plan-reset.ts';
import type { Phase, Sequence } from './run-sequence.ts';

/** The actions of these sequences. Each one stops when its signal aborts. */
export interface EndingTasks {
  readonly stopAllServices: (signal: AbortSignal) => Promise<void>;
  /** Cordons the Kubernetes node and ends its pods; undefined on a machine without a kubelet. */
  readonly drain?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Rejects with the reason when etcd needs the vote of this node. */
  readonly assertMayLeave?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /**
   * Waits for the turn to make this node unavailable, where its restart tries another system. Rejects with the name of the holder when
   * that takes too long; undefined on a node that has no systems to try.
   */
  readonly takeTurn?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Removes this node's member from etcd; undefined when the node has none. */
  readonly leaveEtcd?: (signal: AbortSignal) => Promise<void>;
  /** Notifies the node's controllers of the reset, and waits a moment so that the cluster learns of it. */
  readonly sendResetSignal: (signal: AbortSignal) => Promise<void>;
  /** Wipes volumes irrevocably: from its first step on, the node comes back without them. */
  readonly wipe: (plan: WipePlan, signal: AbortSignal) => Promise<void>;
  /** Wipes other disks than the system disk. @param paths of the devices */
  readonly wipeUserDisks: (paths: readonly string[], signal: AbortSignal) => Promise<void>;
  /** Loads the next kernel, on a node that can start one without its firmware. */
  readonly nextKernel?: {
    readonly load: (signal: AbortSignal) => Promise<void>;
    readonly isLoaded: () => boolean;
  };
  readonly tell: (event: NodeEvent) => void;
}

/** `power-cycle`: through the firmware. `forced`: without a graceful stop, and through the firmware. */
export type RebootKind = 'graceful' | 'power-cycle' | 'forced';

/**
 * Writes the next system while the services run, and restarts the machine then. A failure to write it changes nothing: the machine
 * goes on.
 */
export function upgradeSequence(
  kind: RebootKind,
  upgrade: (signal: AbortSignal) => Promise<void>,
  tasks: EndingTasks,
): Sequence {
  const { phases, endsMachineFrom } = rebootSequence(kind, tasks);
  return { name: 'upgrade', phases: [{ name: 'upgrade', tasks: { upgrade } }, ...phases], endsMachineFrom };
}

export function rebootSequence(kind: RebootKind, tasks: EndingTasks): Sequence {
  const graceful = kind === 'forced' ? [] : [stopEverything(tasks)];
  const last = kind === 'graceful' ? [...kexecPhases(tasks), kexecEnding(tasks)] : [ending('reboot', tasks)];
  const phases = [...graceful, ...last];
  return { name: 'reboot', phases, endsMachineFrom: phases[0]?.name };
}

/** Like `rebootSequence()`, but it waits for its turn first. One that is forced does not wait. A failure to get it changes nothing. */
export function rebootInTurnSequence(kind: RebootKind, tasks: EndingTasks): Sequence {
  const sequence = rebootSequence(kind, tasks);
  const { takeTurn } = tasks;
  if (kind === 'forced' || takeTurn === undefined) return sequence;
  return { ...sequence, phases: [{ name: 'turn', tasks: { takeTurn } }, ...sequence.phases] };
}

/** @param isForced without a drain */
export function shutdownSequence(tasks: EndingTasks, isForced = false): Sequence {
  return {
    name: 'shutdown',
    phases: [...(isForced ? [] : drainPhases(tasks)), stopEverything(tasks), ending('power-off', tasks)],
    endsMachineFrom: 'stopEverything',
  };
}

export function resetSequence(plan: ResetPlan, tasks: EndingTasks): Sequence {
  const { assertMayLeave, drain, leaveEtcd, sendResetSignal } = tasks;
  const leave: Phase[] =
    plan.isGraceful && leaveEtcd !== undefined ? [{ name: 'leave', tasks: { leaveEtcd } }] : [];
  // If the signal reaches no other node, the wipe continues: the node's lease expires soon anyway.
  const preReset: Phase = { name: 'preReset', tasks: { sendResetSignal }, isTolerant: true };
  return {
    name: 'reset',
    // If a service does not stop, the wipe continues.
    phases: [
      ...(leave.length > 0 && drain && assertMayLeave ? [checkFirst(assertMayLeave)] : []),
      ...(plan.isGraceful ? drainPhases(tasks) : []),
      ...leave,
      preReset,
      { ...stopEverything(tasks), isTolerant: true },
      ...wipePhases(plan, tasks),
      ending(plan.end, tasks),
    ],
    endsMachineFrom: 'stopEverything',
  };
}

/** A node that cannot leave etcd keeps its pods: the phase `leave` would refuse only after the drain. */
const checkFirst = (checkEtcdQuorum: (signal: AbortSignal) => Promise<void>): Phase => ({
  name: 'checkEtcd',
  tasks: { checkEtcdQuorum },
});

/**
 * A machine whose pods do not leave in time goes down all the same: somebody asked for it, and a cluster whose last API servers go
 * down could not be drained at all. Source: Talos v1.14: drain.
 */
function drainPhases({ drain }: EndingTasks): Phase[] {
  if (drain === undefined) return [];
  return [{ name: 'drain', tasks: { cordonAndDrainNode: drain }, isTolerant: true }];
}

function kexecPhases({ nextKernel }: EndingTasks): Phase[] {
  if (nextKernel === undefined) return [];
  const kexecPrepare = (signal: AbortSignal) => nextKernel.load(signal);
  return [{ name: 'kexec', tasks: { kexecPrepare } }];
}

const stopEverything = ({ stopAllServices }: EndingTasks): Phase => ({
  name: 'stopEverything',
  tasks: { stopAllServices },
});

function wipePhases(plan: ResetPlan, { wipe, wipeUserDisks }: EndingTasks): Phase[] {
  const { volumes, isWhole, userDisks } = plan;
  const phases: Phase[] = [];
  const wipeVolumes = (signal: AbortSignal) => wipe(plan, signal);
  if (isWhole) phases.push({ name: 'reset', tasks: { resetSystemDisk: wipeVolumes } });
  else if (volumes.length > 0)
    phases.push({ name: 'resetSpec', tasks: { resetSystemDiskSpec: wipeVolumes } });
  if (userDisks.length > 0) {
    const resetUserDisks = (signal: AbortSignal) => wipeUserDisks(userDisks, signal);
    phases.push({ name: 'resetUserDisks', tasks: { resetUserDisks } });
  }
  return phases;
}

/** Starts the kernel that was loaded, if there is one. */
function kexecEnding(tasks: EndingTasks): Phase {
  const { nextKernel } = tasks;
  return ending('reboot', tasks, () => (nextKernel?.isLoaded() ? 'kexec' : 'reboot'));
}

/** @param endOf called at the end; by default the machine goes through its firmware, also when an earlier sequence has loaded a kernel */
function ending(
  wanted: 'reboot' | 'power-off',
  { tell }: EndingTasks,
  endOf: () => MachineEnd = () => wanted,
): Phase {
  const name = wanted === 'reboot' ? 'reboot' : 'shutdown';
  const finish = () => {
    const end = endOf();
    tell({ kind: 'restart', end });
    throw new MachineEnding(end);
  };
  return { name, tasks: { [name]: finish } };
}
