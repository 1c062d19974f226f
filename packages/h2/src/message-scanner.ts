const prefixBytes = 5;

/**
 * Tracks the gRPC messages in a byte stream without buffering them. A message is a prefix of one flag byte
 * and four length bytes, followed by the body. Source: gRPC over HTTP/2, Length-Prefixed-Message.
 */
export class MessageScanner {
  readonly #maxMessageBytes: number;
  #prefixSeen = 0;
  #length = 0;
  #bodyLeft = 0;
  #messages = 0;

  constructor(maxMessageBytes: number) {
    this.#maxMessageBytes = maxMessageBytes;
  }

  /** Number of messages whose prefix is complete. */
  get messages(): number {
    return this.#messages;
  }

  /** Length that the last complete prefix declared, in bytes. */
  get declaredBytes(): number {
    return this.#length;
  }

  /** Whether a message, including its prefix, has begun and is not complete. */
  get insideMessage(): boolean {
    return this.#prefixSeen > 0 || this.#bodyLeft > 0;
  }

  /** How much of the incomplete message has arrived, as text. */
  get shortfall(): string {
    if (this.#prefixSeen > 0) return `${this.#prefixSeen} of ${prefixBytes} prefix bytes`;
    return `${this.#length - this.#bodyLeft} of ${this.#length} bytes`;
  }

  /**
   * Takes the next bytes. Returns how many of them may be forwarded: all, or those before a message whose
   * declared size exceeds the limit. Nothing may be pushed after such a message.
   */
  push(chunk: Uint8Array): number {
    return this.pushPart(chunk, 0, chunk.length);
  }

  /** The same for the bytes from `start` to `end`. */
  pushPart(chunk: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end) {
      if (this.#bodyLeft > 0) {
        const taken = Math.min(this.#bodyLeft, end - at);
        this.#bodyLeft -= taken;
        at += taken;
        continue;
      }
      const prefixStart = at - this.#prefixSeen;
      if (this.#prefixSeen === 0) this.#length = 0;
      while (at < end && this.#prefixSeen < prefixBytes) {
        // Multiplication instead of a shift, because the length is an unsigned 32-bit number.
        if (this.#prefixSeen > 0) this.#length = this.#length * 256 + (chunk[at] ?? 0);
        this.#prefixSeen += 1;
        at += 1;
      }
      if (this.#prefixSeen < prefixBytes) break;
      this.#prefixSeen = 0;
      this.#messages += 1;
      this.#bodyLeft = this.#length;
      if (this.#length > this.#maxMessageBytes) return Math.max(0, prefixStart - start);
    }
    return end - start;
  }
}
