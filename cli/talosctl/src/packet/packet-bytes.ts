/** Reads the fields of a packet that may be cut off anywhere: missing fields are undefined. */
export class PacketBytes {
  readonly #data: Buffer;

  constructor(data: Buffer) {
    this.#data = data;
  }

  get length(): number {
    return this.#data.length;
  }

  byte(at: number): number | undefined {
    return this.#data[at];
  }

  word(at: number): number | undefined {
    return at + 2 <= this.#data.length ? this.#data.readUInt16BE(at) : undefined;
  }

  long(at: number): number | undefined {
    return at + 4 <= this.#data.length ? this.#data.readUInt32BE(at) : undefined;
  }

  /** Exactly `length` bytes. */
  slice(at: number, length: number): Buffer | undefined {
    return at + length <= this.#data.length ? this.#data.subarray(at, at + length) : undefined;
  }

  /** The remaining bytes. */
  from(at: number): PacketBytes {
    return new PacketBytes(this.#data.subarray(Math.min(at, this.#data.length)));
  }
}
