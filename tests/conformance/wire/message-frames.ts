/** Bytes before each message of gRPC: one that says whether it is compressed, four with its length. */
export const frameHeaderBytes = 5;

/** One message as gRPC puts it on the wire, not compressed. */
export function frameMessage(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(frameHeaderBytes + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, frameHeaderBytes);
  return frame;
}

/** Splits the bytes of a response into messages. */
export class FrameReader {
  #pending: Buffer[] = [];
  #size = 0;

  /**
   * The messages that are complete with these bytes. Throws an Error for a compressed one, which was not
   * requested.
   */
  *add(chunk: Buffer): Generator<Buffer, void, undefined> {
    this.#pending.push(chunk);
    this.#size += chunk.length;
    for (;;) {
      const length = this.#nextLength();
      if (length === undefined || this.#size < frameHeaderBytes + length) return;
      const bytes = Buffer.concat(this.#pending);
      const end = frameHeaderBytes + length;
      this.#pending = bytes.length === end ? [] : [bytes.subarray(end)];
      this.#size -= end;
      yield bytes.subarray(frameHeaderBytes, end);
    }
  }

  /** Bytes of an incomplete message. */
  get remainder(): number {
    return this.#size;
  }

  #nextLength(): number | undefined {
    if (this.#size < frameHeaderBytes) return undefined;
    if ((this.#pending[0]?.length ?? 0) < frameHeaderBytes) this.#pending = [Buffer.concat(this.#pending)];
    const [first = Buffer.alloc(0)] = this.#pending;
    if (first[0] !== 0) throw new Error(`a message starts with ${first[0]}: compressed, though nobody asked`);
    return first.readUInt32BE(1);
  }
}
