/** Where a reader of a log stands: a count of bytes since the log began. */
export type LogOffset = number;

/**
 * The last bytes of a log. Offsets count from the first byte ever written, so a reader can tell what it has missed;
 * the memory grows with what is written, up to `capacityBytes`.
 */
export class LogRing {
  readonly capacityBytes: number;
  #buffer: Buffer;
  #endOffset: LogOffset = 0;

  /** @param initialBytes memory of an empty ring. */
  constructor(capacityBytes: number, initialBytes = Math.min(capacityBytes, 16 * 1024)) {
    this.capacityBytes = capacityBytes;
    this.#buffer = Buffer.alloc(initialBytes);
  }

  /** The oldest byte that is kept. */
  get startOffset(): LogOffset {
    return Math.max(0, this.#endOffset - this.capacityBytes);
  }

  /** Where the next byte goes. */
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
   * A copy of up to `limitBytes` from `offset`, or from the oldest byte that is kept when that is gone. Empty at the
   * end. `nextOffset` is where to go on.
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
   * Where the last `lines` lines begin: 0 gives the end, a negative number the oldest byte that is kept. What follows
   * the last line break counts as a line.
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
   * Where the first line that is whole begins, at `offset` or after it, or after the oldest byte that is kept when that
   * is gone. Where no line ends within `limitBytes` it is `offset` itself.
   */
  offsetOfNextLine(offset: LogOffset, limitBytes: number): LogOffset {
    const { bytes, nextOffset } = this.read(offset, limitBytes);
    const lineBreak = bytes.indexOf(0x0a);
    const from = nextOffset - bytes.length;
    return lineBreak < 0 ? from : from + lineBreak + 1;
  }

  /** Doubles the memory until `wantedBytes` fit or the capacity is reached. Nothing has wrapped before that. */
  #grow(wantedBytes: number): void {
    let size = this.#buffer.length;
    if (size >= wantedBytes || size >= this.capacityBytes) return;
    while (size < wantedBytes && size < this.capacityBytes) size = Math.min(size * 2, this.capacityBytes);
    const larger = Buffer.alloc(size);
    this.#buffer.copy(larger, 0, 0, this.#endOffset);
    this.#buffer = larger;
  }
}
