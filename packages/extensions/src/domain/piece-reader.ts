import { damaged } from './refused.ts';

/** Reads given amounts of a stream of bytes that arrives in pieces of any size. */
export class PieceReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  /** What is left of the last piece. */
  #left: Uint8Array = new Uint8Array();
  #offset = 0;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** Bytes that have been read. */
  get offset(): number {
    return this.#offset;
  }

  /** @throws Fault `data-loss` when there are fewer bytes */
  async exactly(bytes: number): Promise<Uint8Array> {
    const target = new Uint8Array(bytes);
    let at = 0;
    for await (const piece of this.take(bytes)) {
      target.set(piece, at);
      at += piece.length;
    }
    return target;
  }

  /** The next bytes in pieces. @throws Fault `data-loss` when there are fewer */
  async *take(bytes: number): AsyncGenerator<Uint8Array> {
    const end = this.#offset + bytes;
    while (this.#offset < end) {
      const piece = await this.#next(end - this.#offset);
      if (piece === undefined) throw damaged('its archive ends early');
      yield piece;
    }
  }

  async skip(bytes: number): Promise<void> {
    for await (const _piece of this.take(bytes));
  }

  /** All that is left. */
  async *rest(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const piece = await this.#next(Number.MAX_SAFE_INTEGER);
      if (piece === undefined) return;
      yield piece;
    }
  }

  async close(): Promise<void> {
    await this.#pieces.return?.();
  }

  async #next(limit: number): Promise<Uint8Array | undefined> {
    while (this.#left.length === 0) {
      const next = await this.#pieces.next();
      if (next.done === true) return undefined;
      this.#left = next.value;
    }
    const piece = this.#left.subarray(0, limit);
    this.#left = this.#left.subarray(piece.length);
    this.#offset += piece.length;
    return piece;
  }
}
