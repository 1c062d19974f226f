/** Reads of at least this size have memory of their own, in bytes; smaller ones share it. */
const largeBytes = 8 * 1024;
/**
 * How much memory such reads get until new objects are collected, in bytes. With half of it collections take as much as they save; with
 * four times as much a stream takes between as much and three times as much processor time, from one to the next.
 */
export const collectEveryBytes = 2 * 1024 * 1024;

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
