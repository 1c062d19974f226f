// The sequences that bring a machine to its end, as tables: the phases of upstream that have something to do on a node of
// processes or of containers. Source: Talos v1.14: sequences, phases and tasks.

import { MachineEnding } from './machine-ending.ts';
import type { MachineEnd, NodeEvent } from './node-event.ts';
import type { ResetPlan } from './plan-reset.ts';
import type { Phase, Sequence } from './run-sequence.ts';

/** What the tasks of these sequences do. Each gives up when its signal aborts. */
export interface EndingTasks {
  readonly stopAllServices: (signal: AbortSignal) => Promise<void>;
  /** Takes this node's member out of etcd; undefined where the node has none. */
  readonly leaveEtcd?: (signal: AbortSignal) => Promise<void>;
  /** Tells the node's controllers that it is being reset, and gives the cluster a moment to hear of it. */
  readonly sendResetSignal: (signal: AbortSignal) => Promise<void>;
  /** Wipes volumes, for good: from its first step on the node comes back without them. */
  readonly wipe: (volumes: ResetPlan['volumes'], signal: AbortSignal) => Promise<void>;
  readonly tell: (event: NodeEvent) => void;
}

/** `forced`: without a graceful stop. */
export type RebootKind = 'graceful' | 'forced';

export function rebootSequence(kind: RebootKind, tasks: EndingTasks): Sequence {
  const graceful = kind === 'graceful' ? [stopEverything(tasks)] : [];
  const phases = [...graceful, ending('reboot', tasks)];
  return { name: 'reboot', phases, endsMachineFrom: phases[0]?.name };
}

export function shutdownSequence(tasks: EndingTasks): Sequence {
  return {
    name: 'shutdown',
    phases: [stopEverything(tasks), ending('power-off', tasks)],
    endsMachineFrom: 'stopEverything',
  };
}

export function resetSequence(plan: ResetPlan, tasks: EndingTasks): Sequence {
  const { leaveEtcd, sendResetSignal, wipe } = tasks;
  const leave: Phase[] =
    plan.isGraceful && leaveEtcd !== undefined ? [{ name: 'leave', tasks: { leaveEtcd } }] : [];
  // A signal that reaches nobody must not keep the node from being wiped: its lease runs out soon anyway.
  const preReset: Phase = { name: 'preReset', tasks: { sendResetSignal }, isTolerant: true };
  const reset: Phase[] = wipePhases(plan, (signal) => wipe(plan.volumes, signal));
  return {
    name: 'reset',
    // What cannot be stopped must not keep the node from being wiped.
    phases: [
      ...leave,
      preReset,
      { ...stopEverything(tasks), isTolerant: true },
      ...reset,
      ending(plan.end, tasks),
    ],
    endsMachineFrom: 'stopEverything',
  };
}

const stopEverything = ({ stopAllServices }: EndingTasks): Phase => ({
  name: 'stopEverything',
  tasks: { stopAllServices },
});

function wipePhases({ volumes, isWhole }: ResetPlan, wipe: (signal: AbortSignal) => Promise<void>): Phase[] {
  if (volumes.length === 0) return [];
  if (isWhole) return [{ name: 'reset', tasks: { resetSystemDisk: wipe } }];
  return [{ name: 'resetSpec', tasks: { resetSystemDiskSpec: wipe } }];
}

function ending(end: MachineEnd, { tell }: EndingTasks): Phase {
  const name = end === 'reboot' ? 'reboot' : 'shutdown';
  const finish = () => {
    tell({ kind: 'restart', end });
    throw new MachineEnding(end);
  };
  return { name, tasks: { [name]: finish } };
}
