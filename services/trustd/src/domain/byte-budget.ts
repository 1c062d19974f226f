/** Bytes that all calls of the daemon may hold together. */
export class ByteBudget {
  readonly #limitBytes: number;
  #heldBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** False, and nothing is taken, when that many bytes are not left. */
  take(sizeBytes: number): boolean {
    if (this.#heldBytes + sizeBytes > this.#limitBytes) return false;
    this.#heldBytes += sizeBytes;
    return true;
  }

  give(sizeBytes: number): void {
    this.#heldBytes -= sizeBytes;
  }
}
