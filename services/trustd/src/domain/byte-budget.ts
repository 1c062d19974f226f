/** Memory for the request bodies of all calls together. */
export class ByteBudget {
  readonly #limitBytes: number;
  #heldBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Returns `false` and takes nothing when the budget has too little room. */
  take(sizeBytes: number): boolean {
    if (this.#heldBytes + sizeBytes > this.#limitBytes) return false;
    this.#heldBytes += sizeBytes;
    return true;
  }

  give(sizeBytes: number): void {
    this.#heldBytes -= sizeBytes;
  }
}
