const newline = 0x0a;
/** A line that is longer than this is cut: whoever never writes a newline must not fill our memory. */
const maxLineBytes = 1024 * 1024;

/** Puts the lines of a byte stream together again, however it was cut into chunks. */
export class LineSplitter {
  #rest: Buffer[] = [];
  #restBytes = 0;

  /** The lines that this chunk completes, without their newline. */
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
    // A copy: the chunk's memory may be part of a much larger one.
    this.#rest.push(Buffer.from(bytes));
    this.#restBytes += bytes.length;
  }

  /** The last line when it has no newline. */
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
