/** A position in a log: the number of bytes since its start. */
export type LogOffset = number;

/**
 * A ring buffer with the last bytes of a log. Offsets count from the first byte ever written, so a reader can
 * tell how many bytes it missed. The memory grows with the log, up to `capacityBytes`.
 */
export class LogRing {
  readonly capacityBytes: number;
  #buffer: Buffer;
  #endOffset: LogOffset = 0;

  /** @param initialBytes size of the buffer before the first write. */
  constructor(capacityBytes: number, initialBytes = Math.min(capacityBytes, 16 * 1024)) {
    this.capacityBytes = capacityBytes;
    this.#buffer = Buffer.alloc(initialBytes);
  }

  /** The offset of the oldest byte in the ring. */
  get startOffset(): LogOffset {
    return Math.max(0, this.#endOffset - this.capacityBytes);
  }

  /** The offset of the next byte to be written. */
  get endOffset(): LogOffset {
    return this.#endOffset;
  }

  append(bytes: Uint8Array): void {
    this.#grow(this.#endOffset + bytes.length);
    const kept = bytes.subarray(Math.max(0, bytes.length - this.capacityBytes));
    const at = (this.#endOffset + bytes.length - kept.length) % this.#buffer.length;
    const head = kept.subarray(0, this.#buffer.length - at);
    this.#buffer.set(head, at);
    this.#buffer.set(kept.subarray(head.length), 0);
    this.#endOffset += bytes.length;
  }

  /**
   * Returns a copy of up to `limitBytes` from `offset` on, or from the oldest byte if `offset` has been
   * overwritten. Empty at the end of the log. `nextOffset` is the offset for the next call.
   */
  read(offset: LogOffset, limitBytes: number): { bytes: Buffer; nextOffset: LogOffset } {
    const from = Math.min(Math.max(offset, this.startOffset), this.#endOffset);
    const count = Math.min(limitBytes, this.#endOffset - from);
    const at = from % this.#buffer.length;
    const bytes = Buffer.allocUnsafe(count);
    const copied = this.#buffer.copy(bytes, 0, at, at + count);
    this.#buffer.copy(bytes, copied, 0, count - copied);
    return { bytes, nextOffset: from + count };
  }

  /**
   * Returns the offset at which the last `lines` lines start: for 0 the end, for a negative number the oldest
   * byte. Text after the last line break counts as a line.
   */
  offsetOfLastLines(lines: number): LogOffset {
    if (lines < 0) return this.startOffset;
    if (lines === 0) return this.#endOffset;
    const { bytes, nextOffset } = this.read(this.startOffset, this.capacityBytes);
    const firstOffset = nextOffset - bytes.length;
    let lineBreak = bytes.length - 1;
    for (let found = 0; found < lines; found++) {
      lineBreak = lineBreak <= 0 ? -1 : bytes.lastIndexOf(0x0a, lineBreak - 1);
      if (lineBreak < 0) return firstOffset;
    }
    return firstOffset + lineBreak + 1;
  }

  /**
   * Returns the offset after the next line break at or after `offset`, or after the oldest byte if `offset`
   * has been overwritten. If there is no line break within `limitBytes`, returns where the search began.
   */
  offsetOfNextLine(offset: LogOffset, limitBytes: number): LogOffset {
    const { bytes, nextOffset } = this.read(offset, limitBytes);
    const lineBreak = bytes.indexOf(0x0a);
    const from = nextOffset - bytes.length;
    return lineBreak < 0 ? from : from + lineBreak + 1;
  }

  /**
   * Doubles the buffer until `wantedBytes` fit or the capacity is reached. Before that the ring has not
   * wrapped, so its bytes are in order.
   */
  #grow(wantedBytes: number): void {
    let size = this.#buffer.length;
    if (size >= wantedBytes || size >= this.capacityBytes) return;
    while (size < wantedBytes && size < this.capacityBytes) size = Math.min(size * 2, this.capacityBytes);
    const larger = Buffer.alloc(size);
    this.#buffer.copy(larger, 0, 0, this.#endOffset);
    this.#buffer = larger;
  }
}
