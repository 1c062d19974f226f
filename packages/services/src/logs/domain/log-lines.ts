import { LogReader } from './log-reader.ts';
import type { LogOffset, LogRing } from './log-ring.ts';

/** A longer line is returned in pieces. Source: Talos v1.14: log storage, line limit. */
const longestLineBytes = 64 * 1024;
const lineBreak = 0x0a;

/** Reads a ring line by line, starting at an offset. */
export class LogLines {
  readonly #reader: LogReader;
  /** Bytes that were read but not returned yet. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(ring: LogRing, offset: LogOffset) {
    this.#reader = new LogReader(ring, offset);
  }

  /** The offset of the first byte that was not returned yet. */
  get offset(): LogOffset {
    return this.#reader.offset - this.#rest.length;
  }

  /** Returns the next line without its line break; `undefined` while there is no whole line. */
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

  /** Returns the text after the last line break. Call this when no more bytes will be written. */
  last(): string | undefined {
    return this.#rest.length === 0 ? undefined : this.#take(this.#rest.length, 0);
  }

  #take(length: number, breakLength: number): string {
    const line = this.#rest.toString('utf8', 0, length);
    this.#rest = this.#rest.subarray(length + breakLength);
    return line;
  }
}
