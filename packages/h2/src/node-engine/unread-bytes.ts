import type { Http2Stream } from 'node:http2';
import type { ByteBudget } from '../byte-budget.ts';

/** Counts bytes between their arrival on a stream and their delivery. */
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

  delivered(bytes: number): void {
    const given = Math.min(bytes, this.#held);
    this.#held -= given;
    this.#budget.give(given);
  }
}
