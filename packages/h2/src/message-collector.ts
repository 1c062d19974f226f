const prefixBytes = 5;
const compressedFlag = 1;

/** One complete gRPC message. */
export interface GrpcMessage {
  readonly body: Buffer;
  readonly compressed: boolean;
}

/**
 * Splits a byte stream into gRPC messages and buffers each until it is complete. Code that only forwards
 * bytes uses MessageScanner instead, which buffers nothing.
 */
export class MessageCollector {
  readonly #maxMessageBytes: number;
  /** The received parts of the next message, including its prefix. */
  #parts: Buffer[] = [];
  #heldBytes = 0;
  /** Size of the next message including its prefix; 0 until the prefix is complete. */
  #wantedBytes = 0;

  constructor(maxMessageBytes: number) {
    this.#maxMessageBytes = maxMessageBytes;
  }

  /** Whether a message has begun and is not complete. */
  get insideMessage(): boolean {
    return this.#heldBytes > 0;
  }

  /** How much of the incomplete message has arrived, as text. */
  get shortfall(): string {
    return this.#wantedBytes === 0
      ? `${this.#heldBytes} of ${prefixBytes} prefix bytes`
      : `${this.#heldBytes - prefixBytes} of ${this.#wantedBytes - prefixBytes} bytes`;
  }

  /**
   * Takes the next bytes and yields the messages that they complete. Throws OversizeMessage; nothing may be
   * pushed after that.
   */
  *push(chunk: Buffer): Generator<GrpcMessage> {
    let rest = chunk;
    while (rest.length > 0) {
      const wanted = this.#wantedBytes === 0 ? prefixBytes : this.#wantedBytes;
      const taken = rest.subarray(0, wanted - this.#heldBytes);
      rest = rest.subarray(taken.length);
      this.#parts.push(taken);
      this.#heldBytes += taken.length;
      if (this.#heldBytes < wanted) return;
      if (this.#wantedBytes === 0) this.#readPrefix();
      if (this.#heldBytes === this.#wantedBytes) yield this.#take();
    }
  }

  #readPrefix(): void {
    const prefix = this.#joined();
    const length = prefix.readUInt32BE(1);
    if (length > this.#maxMessageBytes) throw new OversizeMessage(length, this.#maxMessageBytes);
    this.#parts = [prefix];
    this.#wantedBytes = prefixBytes + length;
  }

  #take(): GrpcMessage {
    const message = this.#joined();
    this.#parts = [];
    this.#heldBytes = 0;
    this.#wantedBytes = 0;
    return { compressed: ((message[0] ?? 0) & compressedFlag) !== 0, body: message.subarray(prefixBytes) };
  }

  #joined(): Buffer {
    const [only] = this.#parts;
    return this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts);
  }
}

/** A message whose declared size exceeds the limit. */
export class OversizeMessage extends Error {
  override readonly name = 'OversizeMessage';
  readonly sizeBytes: number;
  readonly limitBytes: number;

  constructor(sizeBytes: number, limitBytes: number) {
    super(`a message of ${sizeBytes} bytes is larger than ${limitBytes}`);
    this.sizeBytes = sizeBytes;
    this.limitBytes = limitBytes;
  }
}

/** The prefix of an uncompressed message with `lengthBytes` bytes. */
export function messagePrefix(lengthBytes: number): Buffer {
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32BE(lengthBytes, 1);
  return prefix;
}
