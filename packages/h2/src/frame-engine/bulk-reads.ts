import { h2Limits } from '../h2-limits.ts';

/** Reads of at least this size have memory of their own, in bytes; smaller ones share it. */
const largeBytes = h2Limits.memory.largeReadBytes;
/** How much memory such reads get until new objects are collected, in bytes. */
export const { collectEveryBytes } = h2Limits.memory;

/**
 * Has the memory of large reads freed soon. It is outside of the heap of V8, which learns in a collection that it is not used any
 * more. By itself V8 does that every 20 to 30 MB, and then searches the whole heap, which took half of the processor time of a
 * long stream. A collection of only the new objects finds the same memory in half a millisecond.
 */
export class BulkReads {
  readonly #collectNewObjects: (() => void) | undefined;
  #bytes = 0;

  constructor(collectNewObjects: (() => void) | undefined) {
    this.#collectNewObjects = collectNewObjects;
  }

  /** So many bytes were read into new memory, or copied to it. */
  count(bytes: number): void {
    if (bytes >= largeBytes) this.#bytes += bytes;
  }

  /** To be called when the frames of a turn are written, so that nothing needs their memory. */
  afterTurn(): void {
    if (this.#bytes < collectEveryBytes) return;
    this.#bytes = 0;
    this.#collectNewObjects?.();
  }
}
