import type { LogOffset, LogRing } from './log-ring.ts';

/** A line that is longer is given from its middle. */
const longestLineBytes = 64 * 1024;
const lineBreak = 0x0a;

/** Reads a ring on and on, and never skips anything without a word. */
export class LogReader {
  readonly #ring: LogRing;
  #offset: LogOffset;
  #isAtLineStart = true;
  /** Of the line that says what was missed. */
  #notice: Buffer = Buffer.alloc(0);

  constructor(ring: LogRing, offset: LogOffset) {
    this.#ring = ring;
    this.#offset = offset;
  }

  /** The next byte that this reader has not seen. */
  get offset(): LogOffset {
    return this.#offset;
  }

  /**
   * The next bytes, `limitBytes` at most, those from `endOffset` on left out; empty when there are none yet. When some
   * were overwritten before they could be read, a line in their place says how many, and the next whole line follows.
   */
  read(limitBytes: number, endOffset: LogOffset = Number.POSITIVE_INFINITY): Buffer {
    // A notice is given whole before more may have been missed.
    const wantedOffset = Math.min(this.#ring.startOffset, endOffset);
    if (this.#notice.length === 0 && this.#offset < wantedOffset) this.#skip(endOffset);
    if (this.#notice.length > 0) {
      const piece = this.#notice.subarray(0, limitBytes);
      this.#notice = this.#notice.subarray(limitBytes);
      return piece;
    }
    const { bytes, nextOffset } = this.#ring.read(
      this.#offset,
      Math.max(0, Math.min(limitBytes, endOffset - this.#offset)),
    );
    this.#offset = nextOffset;
    if (bytes.length > 0) this.#isAtLineStart = bytes.at(-1) === lineBreak;
    return bytes;
  }

  #skip(endOffset: LogOffset): void {
    const next = this.#ring.offsetOfNextLine(this.#ring.startOffset, longestLineBytes);
    const missedBytes = Math.min(next, endOffset) - this.#offset;
    const lead = this.#isAtLineStart ? '' : '\n';
    this.#notice = Buffer.from(
      `${lead}[${missedBytes} bytes of this log were lost: they were written faster than read]\n`,
    );
    this.#offset += missedBytes;
    this.#isAtLineStart = true;
  }
}
