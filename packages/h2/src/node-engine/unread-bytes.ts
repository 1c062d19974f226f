import type { Http2Stream } from 'node:http2';
import type { ByteBudget } from '../byte-budget.ts';

/** Counts bytes between their arrival on a stream and their delivery, and those of an answer that its client has not read. */
export class UnreadBytes {
  readonly #budget: ByteBudget;
  #held = 0;
  #isOver = false;

  constructor(stream: Http2Stream, budget: ByteBudget, onFull: (full: ByteBudget) => void) {
    this.#budget = budget;
    const push = stream.push;
    // node:http2 calls `push` for each DATA frame, even when the stream is paused.
    stream.push = (chunk: Uint8Array | null, ...rest) => {
      if (chunk === null) return push.call(stream, chunk, ...rest);
      if (this.#isOver) return true;
      const full = budget.take(chunk.length);
      if (full !== undefined) {
        this.#isOver = true;
        setImmediate(() => onFull(full));
        return true;
      }
      this.#held += chunk.length;
      return push.call(stream, chunk, ...rest);
    };
    stream.once('close', () => this.delivered(this.#held));
  }

  /** Counts bytes that wait to be sent until the stream closes. Returns the budget that has no room for them, if there is one. */
  holdUnsent(bytes: number): ByteBudget | undefined {
    const full = this.#budget.take(bytes);
    if (full === undefined) this.#held += bytes;
    return full;
  }

  delivered(bytes: number): void {
    const given = Math.min(bytes, this.#held);
    this.#held -= given;
    this.#budget.give(given);
  }
}
