import { h2Limits } from './h2-limits.ts';

/** Size of a block, in bytes. */
export const { readBlockBytes } = h2Limits.memory;
/** Free bytes before each read: a frame head fits there, so that what was read can be written with a head of its own in one piece. */
export const roomBytes = 16;
/** Free blocks that are kept. */
const maxFree = h2Limits.memory.freeBlocks;

/**
 * Memory that a socket reads into, and that is used again. Code that keeps a part of it after the callback that it was passed to
 * must hold the block, or copy the part: otherwise the next read replaces it by bytes of another call.
 */
export class ReadBlock {
  readonly memory: Buffer = Buffer.allocUnsafeSlow(readBlockBytes);
  readonly #owner: ReadBlocks;
  #holds = 1;

  constructor(owner: ReadBlocks) {
    this.#owner = owner;
    blocks.set(this.memory.buffer, this);
  }

  /** Whether anyone but its reader holds it. */
  get isShared(): boolean {
    return this.#holds > 1;
  }

  /** Begins another life with one hold. */
  reopen(): void {
    this.#holds = 1;
  }

  hold(): void {
    this.#holds += 1;
  }

  /** Ends one hold. After the last one the memory gets other bytes. */
  release(): void {
    this.#holds -= 1;
    if (this.#holds === 0) this.#owner.add(this);
  }
}

/** All blocks, by their memory. */
const blocks = new WeakMap<ArrayBufferLike, ReadBlock>();

/** The block that these bytes are a part of; `undefined` for memory that nobody uses again. */
export function blockOf(bytes: Uint8Array): ReadBlock | undefined {
  return blocks.get(bytes.buffer);
}

/**
 * Memory that all TLS connections read into, one after the other. Unlike a block it cannot be held: code that keeps a part of it after the
 * callback that it was passed to must copy that. OpenSSL passes on at most one record at a time, which has up to 16 KiB. Source: RFC 8446,
 * section 5.1.
 */
export const scratch: Buffer = Buffer.allocUnsafeSlow(h2Limits.memory.scratchBytes);

export function isScratch(bytes: Uint8Array): boolean {
  return bytes.buffer === scratch.buffer;
}

/** Whether the memory of these bytes gets others: they must be copied or held to be kept. */
export function isReused(bytes: Uint8Array): boolean {
  return isScratch(bytes) || blockOf(bytes) !== undefined;
}

/** The bytes from `start` to `end`, to keep: a copy if their memory gets others. */
export function keptPart(bytes: Buffer, start: number, end: number): Buffer {
  const part = start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
  return isReused(bytes) ? Buffer.from(part) : part;
}

/** The blocks that nobody holds. */
export class ReadBlocks {
  readonly #free: ReadBlock[] = [];
  #lent = 0;
  readonly #onFree: (memory: Buffer) => void;

  /** @param onFree gets the memory of each block that nobody holds any more; for tests */
  constructor(onFree: (memory: Buffer) => void = () => {}) {
    this.#onFree = onFree;
  }

  /** Blocks that somebody holds, or that went with their holder. */
  get lent(): number {
    return this.#lent;
  }

  /** A block with one hold. Its memory has bytes of its earlier life. */
  take(): ReadBlock {
    this.#lent += 1;
    const block = this.#free.pop();
    if (block === undefined) return new ReadBlock(this);
    block.reopen();
    return block;
  }

  /** Only for the block itself. */
  add(block: ReadBlock): void {
    this.#lent -= 1;
    this.#onFree(block.memory);
    if (this.#free.length < maxFree) this.#free.push(block);
  }
}
