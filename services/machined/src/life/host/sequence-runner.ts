import { pauseBy, type Timers } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { preemptionTimeoutMs } from '../../base/domain/stop-budgets.ts';
import { MachineEnding } from '../domain/machine-ending.ts';
import type { NodeEvent } from '../domain/node-event.ts';
import { runSequence, type Sequence } from '../domain/run-sequence.ts';
import { lockDecision } from '../domain/sequence-lock.ts';

export interface SequenceRunnerInit {
  readonly publish: (event: NodeEvent, actorId?: string) => void;
  readonly log: Logger;
  readonly timers: Timers;
}

export interface SequenceRequest {
  /** The id of the call that requested it, for the events. */
  readonly actorId?: string;
  /** Cancels any running sequence. */
  readonly hasTakeover?: boolean;
  /** Pause before its first event, in ms; default 0. */
  readonly delayMs?: number;
}

interface Running {
  readonly sequence: Sequence;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** Runs the sequences of a node, one at a time. */
export class SequenceRunner {
  readonly #init: SequenceRunnerInit;
  #running: Running | undefined;

  constructor(init: SequenceRunnerInit) {
    this.#init = init;
  }

  /**
   * Runs the sequence to its end.
   *
   * @throws Fault `failed-precondition` when it may not replace the running one, which is published as an
   * event, too; the error of a task; `cancelled` when another one took over; MachineEnding when it ended the
   * machine
   */
  async run(sequence: Sequence, request: SequenceRequest = {}): Promise<void> {
    const { actorId, hasTakeover = false, delayMs = 0 } = request;
    const previous = this.#running;
    const decision = lockDecision(previous?.sequence.name, sequence.name, hasTakeover);
    if (decision === 'locked') throw this.#refuse(sequence, previous);

    const stop = new AbortController();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const own: Running = { sequence, stop, ended };
    this.#running = own;
    let isMachineEnding = false;
    let stillRuns: Promise<void> | undefined;
    try {
      if (previous !== undefined && !(await this.#preempt(previous))) {
        if (this.#running === own) this.#running = previous;
        stillRuns = previous.ended;
        throw this.#refuse(sequence, previous);
      }
      if (delayMs > 0) await pauseBy(this.#init.timers, delayMs, stop.signal);
      await this.#perform(sequence, actorId, stop.signal);
    } catch (error) {
      isMachineEnding = error instanceof MachineEnding;
      throw error;
    } finally {
      // A later sequence that takes over also waits for the one that does not end.
      resolve(stillRuns);
      // On a machine that is ending only sequences with takeover start.
      if (this.#running === own && !isMachineEnding) this.#running = undefined;
    }
  }

  /** Whether it has ended in time. */
  async #preempt({ stop, ended }: Running): Promise<boolean> {
    stop.abort();
    const waited = new AbortController();
    const isOver = await Promise.race([
      ended.then(() => true),
      pauseBy(this.#init.timers, preemptionTimeoutMs, waited.signal).then(() => false),
    ]);
    waited.abort();
    return isOver;
  }

  /** Without an actor, as upstream sends it. */
  #refuse({ name }: Sequence, running: Running | undefined): Fault {
    const error = { code: 'locked', message: 'sequence not started: locked' } as const;
    this.#init.publish({ kind: 'sequence-failed', sequence: name, error });
    this.#init.log.warn({ sequence: name, running: running?.sequence.name }, 'sequence not started: locked');
    return new Fault('failed-precondition', `sequence ${name} was not started: locked`);
  }

  #tell(event: NodeEvent, actorId: string | undefined): void {
    const { publish, log } = this.#init;
    publish(event, actorId);
    if (event.kind === 'sequence') log.info({ sequence: event.sequence, action: event.action }, 'sequence');
    if (event.kind === 'phase') log.info({ phase: event.phase, action: event.action }, 'phase');
  }

  async #perform(sequence: Sequence, actorId: string | undefined, signal: AbortSignal): Promise<void> {
    const { name } = sequence;
    const { log } = this.#init;
    const tell = (event: NodeEvent) => this.#tell(event, actorId);
    const tolerated = (phase: string, error: unknown) =>
      log.warn({ sequence: name, phase, error: String(error) }, 'phase failed');
    try {
      await runSequence(sequence, { tell, tolerated }, signal);
    } catch (error) {
      // The end of the machine is the purpose of its sequence. Only the event calls it a failure, as upstream's does.
      if (error instanceof MachineEnding) log.info({ sequence: name, end: error.end }, 'machine ends');
      else if (!signal.aborted)
        log.error({ sequence: name, error: faultFrom(error).message }, 'sequence failed');
      throw error;
    }
  }
}
