import { LogReader } from './log-reader.ts';
import type { LogOffset, LogRing } from './log-ring.ts';

/** A longer line is given in pieces. Source: Talos v1.14: log storage, line limit. */
const longestLineBytes = 64 * 1024;
const lineBreak = 0x0a;

/** The lines of a ring, one after the other, from an offset on. */
export class LogLines {
  readonly #reader: LogReader;
  /** Read and not given yet. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(ring: LogRing, offset: LogOffset) {
    this.#reader = new LogReader(ring, offset);
  }

  /** Where the bytes begin that no line has been given of. */
  get offset(): LogOffset {
    return this.#reader.offset - this.#rest.length;
  }

  /** The next line, without its break; undefined while none is whole. */
  next(): string | undefined {
    for (;;) {
      const end = this.#rest.indexOf(lineBreak);
      if (end >= 0) return this.#take(end, 1);
      if (this.#rest.length >= longestLineBytes) return this.#take(longestLineBytes, 0);
      const bytes = this.#reader.read(longestLineBytes);
      if (bytes.length === 0) return undefined;
      this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    }
  }

  /** What stands after the last line break, for when no more will come. */
  last(): string | undefined {
    return this.#rest.length === 0 ? undefined : this.#take(this.#rest.length, 0);
  }

  #take(length: number, breakLength: number): string {
    const line = this.#rest.toString('utf8', 0, length);
    this.#rest = this.#rest.subarray(length + breakLength);
    return line;
  }
}
