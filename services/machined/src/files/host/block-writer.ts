/**
 * Consumes a block. Resolves when the memory of the block may be used again; rejects when no more blocks are
 * needed.
 */
export type BlockSink = (block: Uint8Array) => Promise<void>;

/** Large enough that the cost per block is negligible, and small enough to be filled in a few milliseconds. */
export const blockBytes = 128 * 1024;

/**
 * Collects bytes in two blocks: one is filled while the other is consumed. So an archive of any length needs
 * the memory of two blocks.
 */
export class BlockWriter {
  readonly #sink: BlockSink;
  #filling = Buffer.allocUnsafeSlow(blockBytes);
  #spare = Buffer.allocUnsafeSlow(blockBytes);
  #used = 0;
  #consuming: Promise<void> = Promise.resolve();

  constructor(sink: BlockSink) {
    this.#sink = sink;
  }

  /** The free part of the block. After writing into it, call `commit`. */
  get room(): Buffer {
    return this.#filling.subarray(this.#used);
  }

  /** The size of `room` in bytes. */
  get free(): number {
    return blockBytes - this.#used;
  }

  /** Marks the first bytes of `room` as written. */
  commit(bytes: number): void {
    this.#used += bytes;
  }

  /** Appends zero bytes, which must fit into `room`. */
  putZeros(count: number): void {
    this.#filling.fill(0, this.#used, this.#used + count);
    this.#used += count;
  }

  /**
   * Passes the written bytes to the sink, after the previous block has been consumed. `room` is a whole empty
   * block then.
   */
  async flush(): Promise<void> {
    if (this.#used === 0) return;
    await this.#consuming;
    this.#consuming = this.#sink(this.#filling.subarray(0, this.#used));
    // The next flush awaits the promise; until then a failure must not count as unhandled.
    this.#consuming.catch(() => {});
    [this.#filling, this.#spare] = [this.#spare, this.#filling];
    this.#used = 0;
  }

  /** Passes the rest to the sink and waits until everything has been consumed. */
  async end(): Promise<void> {
    await this.flush();
    await this.#consuming;
  }
}
