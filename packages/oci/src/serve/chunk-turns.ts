import { ociLimits } from '../oci-limits.ts';

/** The next chunk of an answer. */
export interface NextChunk {
  /** Bytes that the answer has sent. */
  readonly sentBytes: number;
  /** The size of the chunk, or the largest that it may have. */
  readonly chunkBytes: number;
}

interface Waiting {
  /** What its answer has sent after the chunk. */
  readonly sentAfterBytes: number;
  readonly costBytes: number;
  readonly begin: () => void;
}

/** The cost of what begins in one turn, and what is added to the size of each chunk. */
const { turnBytes, chunkCostBytes } = ociLimits.chunkTurns;

/**
 * The order in which answers read and send their chunks. A chunk of a blob takes up to a millisecond: its digest, and a copy to the kernel.
 * Without an order, each turn of the event loop sends a chunk of every answer, and a short answer, which takes several turns, waits for
 * all of them each time. So one large chunk begins in each turn, or a few small ones. First come those after which their answer has sent the
 * least; every other turn begins with the one that has waited the longest, so that long answers continue too.
 */
export class ChunkTurns {
  readonly #line: Waiting[] = [];
  #hasBegun = false;
  #isForLeast = false;
  /** What may still begin in this turn. */
  #leftBytes = 0;

  /** Resolves when an answer may begin its next chunk. */
  next({ sentBytes, chunkBytes }: NextChunk): Promise<void> {
    if (!this.#hasBegun) this.#open();
    const costBytes = Math.min(chunkCostBytes + chunkBytes, turnBytes);
    // A chunk that still fits into this turn begins at once. It takes nothing from the chunks in the line, which begin in later turns.
    if (costBytes <= this.#leftBytes) {
      this.#leftBytes -= costBytes;
      return Promise.resolve();
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#line.push({ sentAfterBytes: sentBytes + chunkBytes, costBytes, begin: resolve });
    return promise;
  }

  #open(): void {
    this.#hasBegun = true;
    this.#leftBytes = turnBytes;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#hasBegun = false;
    if (this.#line.length === 0) return;
    this.#open();
    this.#isForLeast = !this.#isForLeast;
    let at = this.#isForLeast ? indexOfLeast(this.#line) : 0;
    for (let next = this.#line[at]; next !== undefined; next = this.#line[at]) {
      if (next.costBytes > this.#leftBytes) return;
      this.#line.splice(at, 1);
      this.#leftBytes -= next.costBytes;
      next.begin();
      at = indexOfLeast(this.#line);
    }
  }
}

/** Of the one after which its answer has sent the least; of several, of the one that has waited the longest. */
function indexOfLeast(line: readonly Waiting[]): number {
  let least = 0;
  for (let index = 1; index < line.length; index += 1)
    if (sentAfter(line[index]) < sentAfter(line[least])) least = index;
  return least;
}

const sentAfter = (waiting: Waiting | undefined) => waiting?.sentAfterBytes ?? 0;
