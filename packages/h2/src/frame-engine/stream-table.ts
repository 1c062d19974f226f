import type { FrameStream } from './frame-stream.ts';

/** Size of an empty table; a power of two. */
const smallestSize = 16;
/** A table is at most half full, so that a search ends after few steps. */
const fullShare = 2;

/**
 * The open streams of a connection by their numbers: a hash table with linear probing. Not a Map, because
 * each stream is added and deleted once: a Map then makes a new table every few calls, and the old tables,
 * which point to the newer ones, carry all streams into the old generation of the heap.
 */
export class StreamTable {
  #slots: (FrameStream | undefined)[] = emptySlots(smallestSize);
  #mask = smallestSize - 1;
  #size = 0;

  /** Number of streams. */
  get size(): number {
    return this.#size;
  }

  get(id: number): FrameStream | undefined {
    const slots = this.#slots;
    const mask = this.#mask;
    for (let at = (id >>> 1) & mask; ; at = (at + 1) & mask) {
      const stream = slots[at];
      if (stream === undefined || stream.id === id) return stream;
    }
  }

  /** Adds a stream whose number is not in the table. */
  add(stream: FrameStream): void {
    if ((this.#size + 1) * fullShare > this.#slots.length) this.#resize(2 * this.#slots.length);
    this.#size += 1;
    this.#put(stream);
  }

  delete(id: number): void {
    const slots = this.#slots;
    const mask = this.#mask;
    let at = (id >>> 1) & mask;
    for (;;) {
      const stream = slots[at];
      if (stream === undefined) return;
      if (stream.id === id) break;
      at = (at + 1) & mask;
    }
    this.#size -= 1;
    // Closes the gap, because a search ends at the first free slot.
    for (let next = (at + 1) & mask; ; next = (next + 1) & mask) {
      const stream = slots[next];
      if (stream === undefined) break;
      const home = (stream.id >>> 1) & mask;
      if (((next - home) & mask) < ((next - at) & mask)) continue;
      slots[at] = stream;
      at = next;
    }
    slots[at] = undefined;
    if (this.#slots.length > smallestSize && this.#size * fullShare * 8 < this.#slots.length)
      this.#resize(this.#slots.length / 2);
  }

  /** A copy of the streams, in the order of their numbers. */
  all(): FrameStream[] {
    return this.#slots.filter((stream) => stream !== undefined).sort((left, right) => left.id - right.id);
  }

  #put(stream: FrameStream): void {
    const slots = this.#slots;
    const mask = this.#mask;
    let at = (stream.id >>> 1) & mask;
    while (slots[at] !== undefined) at = (at + 1) & mask;
    slots[at] = stream;
  }

  #resize(size: number): void {
    const before = this.#slots;
    this.#slots = emptySlots(size);
    this.#mask = size - 1;
    for (const stream of before) if (stream !== undefined) this.#put(stream);
  }
}

function emptySlots(size: number): (FrameStream | undefined)[] {
  return Array<FrameStream | undefined>(size).fill(undefined);
}
