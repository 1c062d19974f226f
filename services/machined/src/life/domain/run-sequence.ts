import { Fault, faultFrom } from '@nodewright/fault';
import { MachineEnding } from './machine-ending.ts';
import type { NodeEvent, SequenceName } from './node-event.ts';

/** Tasks by their names on the wire. */
export type Tasks = Readonly<Record<string, (signal: AbortSignal) => Promise<void> | void>>;

export interface Phase {
  readonly name: string;
  readonly tasks: Tasks;
  /** Its failures are only logged, and the next phase follows. */
  readonly isTolerant?: boolean;
}

export interface Sequence {
  readonly name: SequenceName;
  readonly phases: readonly Phase[];
  /** The phase after which the machine ends whatever happens; undefined for sequences that do not end it. */
  readonly endsMachineFrom?: string | undefined;
}

/** The effects of a sequence. */
export interface SequenceSurroundings {
  readonly tell: (event: NodeEvent) => void;
  /** Called for each failure of a tolerant phase. */
  readonly tolerated?: (phase: string, error: unknown) => void;
}

/**
 * Runs phases one after the other and the tasks of a phase in parallel, and publishes each start and end. The
 * first task that fails cancels the others and ends the sequence: its end is published as usual, and then the
 * reason. Source: Talos v1.14: sequences, events of a sequence.
 *
 * @throws the error of the task; `cancelled` when `signal` aborted; MachineEnding when it ended the machine
 */
export async function runSequence(
  { name, phases, endsMachineFrom }: Sequence,
  surroundings: SequenceSurroundings,
  signal: AbortSignal,
): Promise<void> {
  const { tell } = surroundings;
  tell({ kind: 'sequence', sequence: name, action: 'start' });
  let failure: unknown;
  let isEnding = false;
  try {
    for (const phase of phases) {
      // Also for a sequence that was cancelled before its start: none of its tasks begin.
      if (signal.aborted) throw new Fault('cancelled', `phase ${phase.name} was cancelled`);
      isEnding ||= phase.name === endsMachineFrom;
      await runTolerantly(phase, surroundings, signal);
    }
  } catch (error) {
    failure = error;
  }
  tell({ kind: 'sequence', sequence: name, action: 'stop' });
  if (failure === undefined) return;
  const { message } = faultFrom(failure);
  const code = signal.aborted && !(failure instanceof MachineEnding) ? 'cancelled' : 'fatal';
  tell({
    ...{ kind: 'sequence-failed', sequence: name, error: { code, message: `sequence failed: ${message}` } },
    ...(code === 'fatal' && endsMachineFrom !== undefined && !isEnding ? { goesOn: true } : {}),
  });
  throw failure;
}

async function runTolerantly(phase: Phase, surroundings: SequenceSurroundings, signal: AbortSignal) {
  try {
    await runPhase(phase, surroundings.tell, signal);
  } catch (error) {
    if (phase.isTolerant !== true || signal.aborted) throw error;
    surroundings.tolerated?.(phase.name, error);
  }
}

async function runPhase(
  { name, tasks }: Phase,
  tell: (event: NodeEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const phaseSignal = AbortSignal.any([signal, failed.signal]);
  const runTask = async ([task, body]: [string, Tasks[string]]) => {
    tell({ kind: 'task', task, action: 'start' });
    try {
      await body(phaseSignal);
      if (signal.aborted) throw new Fault('cancelled', `task ${task} was cancelled`);
    } catch (error) {
      failed.abort();
      throw error;
    } finally {
      tell({ kind: 'task', task, action: 'stop' });
    }
  };
  tell({ kind: 'phase', phase: name, action: 'start' });
  try {
    const outcomes = await Promise.allSettled(Object.entries(tasks).map(runTask));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  } finally {
    tell({ kind: 'phase', phase: name, action: 'stop' });
  }
}
