import type { LogOffset, LogRing } from './log-ring.ts';

/** If the next line break is further away, reading continues in the middle of a line. */
const longestLineBytes = 64 * 1024;
const lineBreak = 0x0a;

/** Reads a ring from an offset on, and reports every byte that it missed. */
export class LogReader {
  readonly #ring: LogRing;
  #offset: LogOffset;
  #isAtLineStart = true;
  /** The rest of the line that reports missed bytes. */
  #notice: Buffer = Buffer.alloc(0);

  constructor(ring: LogRing, offset: LogOffset) {
    this.#ring = ring;
    this.#offset = offset;
  }

  /** The offset of the next byte to read. */
  get offset(): LogOffset {
    return this.#offset;
  }

  /**
   * Returns the next bytes, at most `limitBytes` and none from `endOffset` on; empty when there are none yet.
   * When bytes were overwritten before they were read, a line with their number is returned first. Then
   * reading continues at the next whole line.
   */
  read(limitBytes: number, endOffset: LogOffset = Number.POSITIVE_INFINITY): Buffer {
    // The rest of a notice is returned before another check for missed bytes.
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
