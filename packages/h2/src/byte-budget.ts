/**
 * A limit on bytes in memory. A budget with a parent counts its bytes in the parent too: both must have room.
 * Nothing waits for room; a call that gets none must be refused.
 */
export class ByteBudget {
  readonly limitBytes: number;
  readonly #parent: ByteBudget | undefined;
  #heldBytes = 0;

  constructor(limitBytes: number, parent?: ByteBudget) {
    this.limitBytes = limitBytes;
    this.#parent = parent;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Takes room for `bytes` bytes. Returns the budget that is full, or `undefined` when all had room. */
  take(bytes: number): ByteBudget | undefined {
    if (this.#heldBytes + bytes > this.limitBytes) return this;
    const full = this.#parent?.take(bytes);
    if (full === undefined) this.#heldBytes += bytes;
    return full;
  }

  /** Returns bytes that were taken. */
  give(bytes: number): void {
    this.#heldBytes -= bytes;
    this.#parent?.give(bytes);
  }
}
