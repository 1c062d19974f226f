/**
 * Bytes that may be held at once. A budget with a parent is a share of it: both must have room. Nothing waits here: who
 * gets no room refuses its call.
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

  /** Takes room for that many bytes. Returns the budget that has none left, undefined when all had room. */
  take(bytes: number): ByteBudget | undefined {
    if (this.#heldBytes + bytes > this.limitBytes) return this;
    const full = this.#parent?.take(bytes);
    if (full === undefined) this.#heldBytes += bytes;
    return full;
  }

  /** Gives back what was taken. */
  give(bytes: number): void {
    this.#heldBytes -= bytes;
    this.#parent?.give(bytes);
  }
}
