interface Waiting {
  readonly sentBytes: number;
  readonly begin: () => void;
}

/**
 * The order in which answers read and send their chunks. A chunk of a blob takes up to a millisecond: its digest, and a copy to the kernel.
 * Without an order, each turn of the event loop sends a chunk of every answer, and a short answer, which takes several turns, waits for
 * all of them each time. So one chunk begins in each turn. It is of the answer that has sent the least, and every other time of the one that
 * has waited the longest, so that long answers continue too.
 */
export class ChunkTurns {
  readonly #line: Waiting[] = [];
  #hasBegun = false;
  #isForLeast = false;

  /** Resolves when an answer that has sent so many bytes may begin its next chunk. */
  next(sentBytes: number): Promise<void> {
    if (this.#hasBegun) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#line.push({ sentBytes, begin: resolve });
      return promise;
    }
    this.#begin();
    return Promise.resolve();
  }

  #begin(): void {
    this.#hasBegun = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isForLeast = !this.#isForLeast;
    const next = this.#isForLeast ? indexOfLeast(this.#line) : 0;
    const [chosen] = this.#line.splice(next, 1);
    this.#hasBegun = false;
    if (chosen === undefined) return;
    this.#begin();
    chosen.begin();
  }
}

function indexOfLeast(line: readonly Waiting[]): number {
  let least = 0;
  for (const [index, { sentBytes }] of line.entries())
    if (sentBytes < (line[least]?.sentBytes ?? 0)) least = index;
  return least;
}
