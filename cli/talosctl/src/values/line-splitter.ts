const newline = 0x0a;
/** A longer line is split, so that a stream without newlines does not fill the memory. */
const maxLineBytes = 1024 * 1024;

/** Splits a byte stream into lines, independent of its division into chunks. */
export class LineSplitter {
  #rest: Buffer[] = [];
  #restBytes = 0;

  /** Yields the lines that this chunk completes, without newlines. */
  *push(chunk: Uint8Array): Generator<string> {
    let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline)) {
      yield this.#complete(bytes.subarray(0, end));
      bytes = bytes.subarray(end + 1);
    }
    if (bytes.length === 0) return;
    if (this.#restBytes + bytes.length >= maxLineBytes) {
      yield this.#complete(bytes);
      return;
    }
    // Copy the bytes, because the chunk may be part of a much larger buffer.
    this.#rest.push(Buffer.from(bytes));
    this.#restBytes += bytes.length;
  }

  /** Yields the last line if it does not end with a newline. */
  *end(): Generator<string> {
    if (this.#restBytes > 0) yield this.#complete(Buffer.alloc(0));
  }

  #complete(last: Buffer): string {
    const line = Buffer.concat([...this.#rest, last]).toString('utf8');
    this.#rest = [];
    this.#restBytes = 0;
    return line;
  }
}
