import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work goes on before it lets others have a turn, in milliseconds. */
const turnMs = 5;

/** Lets long work on files give way: calls that are answered meanwhile wait no longer than one turn. */
export class TurnTaking {
  readonly #signal: AbortSignal;
  #until = performance.now() + turnMs;

  /** @param signal aborts the work at its next rest */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether it is time to rest. */
  get isOver(): boolean {
    return performance.now() >= this.#until;
  }

  /** Lets everything else run that is due. @throws the signal's reason once it has aborted */
  async rest(): Promise<void> {
    this.#signal.throwIfAborted();
    await nextTurn();
    this.#signal.throwIfAborted();
    this.#until = performance.now() + turnMs;
  }
}
