import { createHash } from 'node:crypto';
import type { GrubFiles } from '../loader/boot-files.ts';

/** A partition in memory. */
export class MemoryFiles implements GrubFiles {
  readonly contents = new Map<string, Buffer>();
  readonly #onWrite: () => void;

  constructor(onWrite: () => void = () => {}) {
    this.#onWrite = onWrite;
  }

  async read(path: string, offset: number, length: number): Promise<Buffer | undefined> {
    const content = this.contents.get(path);
    return content && Buffer.from(content.subarray(offset, offset + length));
  }

  async overwrite(path: string, bytes: Uint8Array): Promise<void> {
    const { length } = this.contents.get(path) ?? Buffer.alloc(0);
    if (length !== bytes.length) throw new Error(`${path} has ${length} bytes, not ${bytes.length}`);
    this.contents.set(path, Buffer.from(bytes));
    this.#onWrite();
  }

  /** Changes the first byte. */
  damage(path: string, at = 0): void {
    const content = Buffer.from(this.contents.get(path) ?? Buffer.alloc(at + 1));
    content.writeUInt8(content.readUInt8(at) ^ 1, at);
    this.contents.set(path, content);
  }

  /** Of all files but these. */
  digest(except: readonly string[] = []): string {
    const hash = createHash('sha256');
    for (const [path, content] of [...this.contents].sort())
      if (!except.includes(path)) hash.update(path).update(content);
    return hash.digest('hex');
  }
}

/** Calls `fail` after so many writes. */
export function writeCounter(fail: () => never) {
  let left: number | undefined;
  return {
    failAfter(writes: number | undefined) {
      left = writes;
    },
    onWrite() {
      if (left === undefined) return;
      left -= 1;
      if (left <= 0) fail();
    },
  };
}
