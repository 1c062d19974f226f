const prefixBytes = 5;

/**
 * Follows the gRPC messages in a byte stream without keeping any of it: a prefix of one flag byte and four length
 * bytes, then the message. Source: gRPC over HTTP/2, Length-Prefixed-Message.
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

  /** Messages whose prefix was seen whole. */
  get messages(): number {
    return this.#messages;
  }

  /** Length that the latest whole prefix declared, in bytes. */
  get declaredBytes(): number {
    return this.#length;
  }

  /** Whether the stream stands inside a message, its prefix included. */
  get insideMessage(): boolean {
    return this.#prefixSeen > 0 || this.#bodyLeft > 0;
  }

  /** What is missing when the stream ends now, in words. */
  get shortfall(): string {
    if (this.#prefixSeen > 0) return `${this.#prefixSeen} of ${prefixBytes} prefix bytes`;
    return `${this.#length - this.#bodyLeft} of ${this.#length} bytes`;
  }

  /**
   * Takes the next bytes. Returns how many of them may be passed on: all, or those before the message that declares
   * more than the limit; nothing may be pushed after that.
   */
  push(chunk: Uint8Array): number {
    const { length } = chunk;
    let at = 0;
    while (at < length) {
      if (this.#bodyLeft > 0) {
        const taken = Math.min(this.#bodyLeft, length - at);
        this.#bodyLeft -= taken;
        at += taken;
        continue;
      }
      const prefixStart = at - this.#prefixSeen;
      if (this.#prefixSeen === 0) this.#length = 0;
      while (at < length && this.#prefixSeen < prefixBytes) {
        // Multiplied, not shifted: the length is unsigned and may use the top bit.
        if (this.#prefixSeen > 0) this.#length = this.#length * 256 + (chunk[at] ?? 0);
        this.#prefixSeen += 1;
        at += 1;
      }
      if (this.#prefixSeen < prefixBytes) break;
      this.#prefixSeen = 0;
      this.#messages += 1;
      this.#bodyLeft = this.#length;
      if (this.#length > this.#maxMessageBytes) return Math.max(0, prefixStart);
    }
    return length;
  }
}
