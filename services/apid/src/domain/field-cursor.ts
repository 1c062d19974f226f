import { Fault } from '@nodewright/fault';

/** Wire types. Groups (3 and 4) are refused: they have no length, and no message of the API has one. */
const [varintType, fixed64Type, lengthType, fixed32Type] = [0, 1, 2, 5] as const;

/**
 * Walks the fields of one encoded message, from the first to the last, and not into them. It allocates nothing for a field, because an
 * answer has one for each process or connection of a node. What decoders of other languages refuse is refused here, too.
 * Source: Protocol Buffers: encoding.
 */
export class FieldCursor {
  /** Number of the field. */
  number = 0;
  /** Whether the field has a length and bytes. */
  isBytes = false;
  /** Whether the value is a varint: a number or a boolean. */
  isNumber = false;
  /** Index of the first byte of the field's tag. */
  start: number;
  /** Index of the first byte of its value. */
  valueStart: number;
  /** Index of the first byte behind the field. */
  end: number;
  readonly #bytes: Uint8Array;
  readonly #limit: number;
  readonly #what: string;

  /** @param what names the message in errors */
  constructor(bytes: Uint8Array, start: number, limit: number, what: string) {
    this.#bytes = bytes;
    this.#limit = limit;
    this.#what = what;
    this.start = this.valueStart = this.end = start;
  }

  /**
   * Goes to the next field. Returns `false` behind the last one, which ends where the message ends.
   * @throws Fault `unknown` when there is no field that ends within the message
   */
  next(): boolean {
    if (this.end === this.#limit) return false;
    this.start = this.end;
    const tag = this.#short();
    this.number = tag >>> 3;
    if (this.number === 0) throw this.#damaged();
    const type = tag & 7;
    this.isBytes = type === lengthType;
    this.isNumber = type === varintType;
    this.valueStart = this.end;
    if (type === varintType) this.#skipVarint();
    else if (type === fixed64Type) this.end += 8;
    else if (type === fixed32Type) this.end += 4;
    else if (type === lengthType) {
      const length = this.#short();
      this.valueStart = this.end;
      this.end += length;
    } else throw this.#damaged();
    if (this.end > this.#limit) throw this.#damaged();
    return true;
  }

  /** Reads a tag or a length: both are below 2^32. */
  #short(): number {
    let value = 0;
    for (let index = 0; index < 5; index += 1) {
      const byte = this.end < this.#limit ? (this.#bytes[this.end] as number) : 0xff;
      this.end += 1;
      value += (byte & 0x7f) * 128 ** index;
      if (byte < 0x80 && value < 2 ** 32) return value;
    }
    throw this.#damaged();
  }

  /** A number has 64 bits: ten bytes, of which the last one has one bit. */
  #skipVarint(): void {
    for (let index = 0; index < 10; index += 1) {
      const byte = this.end < this.#limit ? (this.#bytes[this.end] as number) : 0xff;
      this.end += 1;
      if (byte < 0x80 && (index < 9 || byte < 2)) return;
    }
    throw this.#damaged();
  }

  #damaged(): Fault {
    return new Fault('unknown', `unexpected message format: ${this.#what} has a damaged field`);
  }
}
