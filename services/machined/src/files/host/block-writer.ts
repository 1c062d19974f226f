/** Takes a block. Resolves once the block's memory may be used again; rejects when nobody wants more. */
export type BlockSink = (block: Uint8Array) => Promise<void>;

/** Large enough that handing it over costs nothing beside filling it, small enough to be filled within one turn. */
export const blockBytes = 128 * 1024;

/**
 * Collects bytes in two blocks that take turns: one is filled while the other is consumed. So the memory of an archive
 * is that of two blocks, however long it is.
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

  /** The free rest of the block. Whoever writes into it says so by `commit`. */
  get room(): Buffer {
    return this.#filling.subarray(this.#used);
  }

  /** Bytes of `room`. */
  get free(): number {
    return blockBytes - this.#used;
  }

  /** Counts the first bytes of `room` as written. */
  commit(bytes: number): void {
    this.#used += bytes;
  }

  /** Adds zero bytes for which there is room. */
  putZeros(count: number): void {
    this.#filling.fill(0, this.#used, this.#used + count);
    this.#used += count;
  }

  /** Hands over what there is, once the block before has been consumed. There is a whole empty block of room then. */
  async flush(): Promise<void> {
    if (this.#used === 0) return;
    await this.#consuming;
    this.#consuming = this.#sink(this.#filling.subarray(0, this.#used));
    // Looked at by the next flush; until then nobody is there to hear of a failure.
    this.#consuming.catch(() => {});
    [this.#filling, this.#spare] = [this.#spare, this.#filling];
    this.#used = 0;
  }

  /** Hands over the rest and waits until all has been consumed. */
  async end(): Promise<void> {
    await this.flush();
    await this.#consuming;
  }
}
