import type { FrameStream } from './frame-stream.ts';

/**
 * Size of an empty table; a power of two. Clients with a few dozen calls, which often end and begin together, must not change it all
 * the time.
 */
const smallestSize = 64;
/** A table shrinks when it is emptier than this share. */
const emptyShare = 8;

/**
 * The open streams of a connection by their numbers: a hash table whose slots are lists of streams. Not a Map,
 * because each stream is added and deleted once: a Map then makes a new table every few calls, and the old
 * tables, which point to the newer ones, carry all streams into the old generation of the heap.
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
    let stream = this.#slots[(id >>> 1) & this.#mask];
    while (stream !== undefined && stream.id !== id) stream = stream.nextInSlot;
    return stream;
  }

  /** Adds a stream whose number is not in the table. */
  add(stream: FrameStream): void {
    if (this.#size === this.#slots.length) this.#resize(2 * this.#size);
    this.#size += 1;
    this.#put(stream);
  }

  /** Deletes a stream. Returns `false` when it is missing. */
  delete(stream: FrameStream): boolean {
    const slot = (stream.id >>> 1) & this.#mask;
    let before: FrameStream | undefined;
    let at = this.#slots[slot];
    while (at !== undefined && at !== stream) {
      before = at;
      at = at.nextInSlot;
    }
    if (at === undefined) return false;
    if (before === undefined) this.#slots[slot] = stream.nextInSlot;
    else before.nextInSlot = stream.nextInSlot;
    stream.nextInSlot = undefined;
    this.#size -= 1;
    const { length } = this.#slots;
    if (length > smallestSize && this.#size * emptyShare < length) this.#resize(length / 2);
    return true;
  }

  /** A copy of the streams, in the order of their numbers. */
  all(): FrameStream[] {
    const streams: FrameStream[] = [];
    for (let stream of this.#slots) {
      for (; stream !== undefined; stream = stream.nextInSlot) streams.push(stream);
    }
    return streams.sort((left, right) => left.id - right.id);
  }

  #put(stream: FrameStream): void {
    const slot = (stream.id >>> 1) & this.#mask;
    stream.nextInSlot = this.#slots[slot];
    this.#slots[slot] = stream;
  }

  #resize(size: number): void {
    const streams = this.all();
    this.#slots = emptySlots(size);
    this.#mask = size - 1;
    for (const stream of streams) this.#put(stream);
  }
}

function emptySlots(size: number): (FrameStream | undefined)[] {
  return Array<FrameStream | undefined>(size).fill(undefined);
}
