import { FieldCursor } from './field-cursor.ts';

/** A gRPC message begins with a flag and its length. Source: gRPC over HTTP/2, Length-Prefixed-Message. */
const prefixBytes = 5;
/** The names of a service or of a container of Kubernetes and some numbers are a few hundred bytes; longer requests are not read. */
const maxBytes = 4096;

/**
 * Reads from the request of a log whether its caller follows it, and so has asked for an answer without an end. The bytes are copied: they
 * belong to whom they are forwarded to.
 */
export class FollowRequest {
  readonly #field: number;
  #bytes: Buffer = Buffer.alloc(0);
  #follows: boolean | undefined;
  #isRead = false;

  /** @param field number of the request's boolean field that asks for it */
  constructor(field: number) {
    this.#field = field;
  }

  /** Whether the caller follows; `undefined` as long as the request is not complete, and for one that cannot be read. */
  get follows(): boolean | undefined {
    return this.#follows;
  }

  /** Takes the next bytes of the request, from `start` to `end`. */
  push(bytes: Uint8Array, start: number, end: number): void {
    if (this.#isRead) return;
    if (this.#bytes.length + end - start > maxBytes) {
      this.#finish();
      return;
    }
    this.#bytes = Buffer.concat([this.#bytes, bytes.subarray(start, end)]);
    if (this.#bytes.length < prefixBytes) return;
    const whole = prefixBytes + this.#bytes.readUInt32BE(1);
    if (this.#bytes.length < whole) return;
    // A compressed message says nothing.
    if (this.#bytes[0] === 0) this.#follows = this.#read(whole);
    this.#finish();
  }

  #finish(): void {
    this.#isRead = true;
    this.#bytes = Buffer.alloc(0);
  }

  /** Of a field that comes more than once the last one counts. Source: Protocol Buffers: encoding. */
  #read(whole: number): boolean | undefined {
    let follows = false;
    try {
      const field = new FieldCursor(this.#bytes, prefixBytes, whole, 'the request');
      while (field.next())
        if (field.number === this.#field && field.isNumber)
          follows = this.#bytes.subarray(field.valueStart, field.end).some((byte) => (byte & 0x7f) !== 0);
    } catch {
      return undefined;
    }
    return follows;
  }
}
