import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work goes on before it yields to the event loop, in ms. */
const turnMs = 5;

/** Lets long work on files yield to the event loop regularly, so that other calls wait at most one turn. */
export class TurnTaking {
  readonly #signal: AbortSignal;
  #until = performance.now() + turnMs;

  /** @param signal aborts the work at its next rest */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether the turn is over and the work should call `rest`. */
  get isOver(): boolean {
    return performance.now() >= this.#until;
  }

  /** Yields until all due callbacks have run. @throws the signal's reason once it has aborted */
  async rest(): Promise<void> {
    this.#signal.throwIfAborted();
    await nextTurn();
    this.#signal.throwIfAborted();
    this.#until = performance.now() + turnMs;
  }
}
