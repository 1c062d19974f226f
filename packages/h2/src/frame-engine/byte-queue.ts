import { isReused } from '../read-blocks.ts';

/** Small chunks are joined in blocks of this size, so that a queue has few objects. */
const blockBytes = 1024;
/**
 * The first chunk of a queue, if it is small, is often its only one: a call that waits for its turn has the few bytes of
 * its request. Such chunks of all queues share memory, because memory of its own costs more than the rest of the queue.
 */
const sharedBytes = 2048;
const maxSharedBytes = 128;
let shared = Buffer.alloc(0);
let sharedAt = 0;

/** A chunk keeps its whole memory alive. Chunks smaller than this share of it are copied. */
const retainedShare = 4;

/**
 * A queue of bytes. Its memory is in proportion to its bytes, whatever the size of the chunks: a peer may
 * send a megabyte in frames of one byte.
 */
export class ByteQueue {
  #chunks: Buffer[] = [];
  #head = 0;
  #bytes = 0;
  /** Free bytes behind the last chunk, which then is a block of this queue. */
  #room = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Number of chunks, for tests. */
  get chunks(): number {
    return this.#chunks.length - this.#head;
  }

  /** Adds a chunk, which then belongs to the queue. Of a block of `read-blocks.ts`, it makes a copy. */
  push(chunk: Uint8Array): void {
    const { length } = chunk;
    if (length === 0) return;
    this.#bytes += length;
    if (length <= this.#room) {
      this.#append(chunk);
      return;
    }
    const isKept = length * retainedShare >= chunk.buffer.byteLength && !isReused(chunk);
    if (length >= blockBytes && isKept) {
      this.#chunks.push(
        chunk instanceof Buffer ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, length),
      );
      this.#room = 0;
      return;
    }
    if (length <= maxSharedBytes && this.#chunks.length === 0) {
      this.#chunks.push(copyShared(chunk));
      return;
    }
    const block = Buffer.allocUnsafeSlow(Math.max(blockBytes, length));
    block.set(chunk);
    this.#chunks.push(block.subarray(0, length));
    this.#room = block.length - length;
  }

  /** Takes at most `most` bytes from the front; there must be some. */
  take(most: number): Buffer {
    const first = this.#chunks[this.#head] as Buffer;
    if (first.length > most) {
      this.#chunks[this.#head] = first.subarray(most);
      this.#bytes -= most;
      return first.subarray(0, most);
    }
    this.#chunks[this.#head] = empty;
    this.#head += 1;
    if (this.#head === this.#chunks.length) {
      this.#chunks.length = 0;
      this.#head = 0;
      this.#room = 0;
    } else if (this.#head >= 64 && this.#head * 2 >= this.#chunks.length) {
      this.#chunks.splice(0, this.#head);
      this.#head = 0;
    }
    this.#bytes -= first.length;
    return first;
  }

  clear(): void {
    this.#chunks = [];
    this.#head = 0;
    this.#bytes = 0;
    this.#room = 0;
  }

  /** Copies a small chunk behind the last one, which is part of a block with room. */
  #append(chunk: Uint8Array): void {
    const last = this.#chunks.length - 1;
    const tail = this.#chunks[last] as Buffer;
    const longer = Buffer.from(tail.buffer, tail.byteOffset, tail.length + chunk.length);
    longer.set(chunk, tail.length);
    this.#chunks[last] = longer;
    this.#room -= chunk.length;
  }
}

const empty = Buffer.alloc(0);

function copyShared(chunk: Uint8Array): Buffer {
  if (sharedAt + chunk.length > shared.length) {
    shared = Buffer.allocUnsafeSlow(sharedBytes);
    sharedAt = 0;
  }
  const end = sharedAt + chunk.length;
  const copy = shared.subarray(sharedAt, end);
  copy.set(chunk);
  sharedAt = end;
  return copy;
}
