import type { HeaderBlock } from './header-block.ts';

/** Blocks that are remembered, and the largest of them in bytes: a few shapes make up most calls. */
const rememberedBlocks = 16;
const maxRememberedBytes = 512;

/**
 * The last blocks of one direction of a connection with what was decoded from them. They are found by their
 * bytes, which are compared in place: a string as a key would be garbage for each block.
 */
export class BlockMemory {
  readonly #bytes: Uint8Array[] = [];
  readonly #blocks: HeaderBlock[] = [];
  /** The oldest, once there are enough. */
  #next = 0;

  find(bytes: Uint8Array, start: number, end: number): HeaderBlock | undefined {
    const length = end - start;
    const remembered = this.#bytes;
    for (let index = 0; index < remembered.length; index += 1) {
      const candidate = remembered[index] as Uint8Array;
      if (candidate.length !== length) continue;
      let at = length - 1;
      // From the end, where blocks of the same peer differ more often.
      while (at >= 0 && candidate[at] === bytes[start + at]) at -= 1;
      if (at < 0) return this.#blocks[index];
    }
    return undefined;
  }

  add(bytes: Uint8Array, start: number, end: number, block: HeaderBlock): void {
    if (end - start > maxRememberedBytes) return;
    const copy = Uint8Array.prototype.slice.call(bytes, start, end);
    this.#bytes[this.#next] = copy;
    this.#blocks[this.#next] = block;
    this.#next = (this.#next + 1) % rememberedBlocks;
  }

  clear(): void {
    this.#bytes.length = 0;
    this.#blocks.length = 0;
    this.#next = 0;
  }
}
