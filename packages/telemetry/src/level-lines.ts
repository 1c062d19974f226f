import { symbols } from 'pino';
import type { DestinationStream, Logger } from './logger.ts';

/** A destination of lines that takes them as bytes too. */
export interface ByteDestination extends DestinationStream {
  /** Adds the line in the first `length` bytes, with its line feed. The bytes stay those of the caller. */
  writeBytes(bytes: Uint8Array, length: number): void;
}

/** Fields of a line as bytes: each with a comma before it. */
export type EncodedFields = Uint8Array;

const encoder = new TextEncoder();

/**
 * Encodes fields as the log does. Fields that are `undefined` are left out. The result has memory of its own, because it is kept: a
 * small `Buffer` is a part of 64 KiB, none of which is freed before all of its parts are.
 */
export function encodeFields(fields: object): EncodedFields {
  const text = JSON.stringify(fields);
  return encoder.encode(text === '{}' ? '' : `,${text.slice(1, -1)}`);
}

/** pino's numbers of the levels. */
const levelNumbers = { debug: 20, info: 30 } as const;
const digitZero = 0x30;
const point = 0x2e;
/** Lines up to this size are composed in memory that is kept, in bytes. */
const keptBytes = 4096;
/** Characters of a number: its sign, 16 digits and a point. */
const maxNumberBytes = 24;
const millisecondsPerSecond = 1000;

/**
 * Composes lines of one level as bytes, for the one line that every call writes: the same line that
 * `log[level](fields, message)` writes, without its objects and strings. Call `begin`, then the methods that
 * append, then `end`; ask `isOn` before.
 */
export class LevelLines {
  readonly #log: Logger;
  readonly #level: keyof typeof levelNumbers;
  readonly #base: EncodedFields;
  readonly #tail: Uint8Array;
  readonly #destination: Partial<ByteDestination> & DestinationStream;
  #bytes: Buffer = Buffer.alloc(0);
  #end = 0;
  /** The bytes begin with the start of a line, whose time is this one, in milliseconds since 1970. */
  #timeMs = Number.NaN;
  #startBytes = 0;
  /** Where the milliseconds of the time are. */
  #millisecondsAt = 0;

  constructor(log: Logger, level: keyof typeof levelNumbers, message: string) {
    this.#log = log;
    this.#level = level;
    this.#base = encodeFields(log.bindings());
    this.#tail = Buffer.from(`,"msg":${JSON.stringify(message)}}\n`);
    this.#destination = (log as unknown as { [symbols.streamSym]: DestinationStream })[symbols.streamSym];
  }

  /** Whether the level of the log lets the line pass. */
  get isOn(): boolean {
    return this.#log.levelVal <= levelNumbers[this.#level];
  }

  begin(): void {
    const now = Date.now();
    if (now !== this.#timeMs) this.#writeStart(now);
    this.#end = this.#startBytes;
  }

  append(bytes: Uint8Array): void {
    const { length } = bytes;
    this.#reserve(length);
    this.#bytes.set(bytes, this.#end);
    this.#end += length;
  }

  /** Appends the number `thousandths / 1000`; `thousandths` is an integer. */
  appendThousandths(thousandths: number): void {
    this.#reserve(maxNumberBytes);
    if (!(thousandths >= 0 && thousandths < 2 ** 31)) {
      this.#end += this.#bytes.write(String(thousandths / 1000), this.#end, 'latin1');
      return;
    }
    const whole = Math.floor(thousandths / 1000);
    let digits = 1;
    for (let rest = whole; rest >= 10; rest = Math.floor(rest / 10)) digits += 1;
    this.#appendDigits(whole, digits);
    let fraction = thousandths - whole * 1000;
    if (fraction === 0) return;
    this.#bytes[this.#end++] = point;
    let places = 3;
    while (fraction % 10 === 0) {
      fraction /= 10;
      places -= 1;
    }
    this.#appendDigits(fraction, places);
  }

  end(): void {
    this.append(this.#tail);
    const destination = this.#destination;
    if (destination.writeBytes !== undefined) destination.writeBytes(this.#bytes, this.#end);
    else destination.write(this.#bytes.toString('utf8', 0, this.#end));
    // A long line must not keep its memory.
    if (this.#bytes.length > keptBytes) this.#timeMs = Number.NaN;
  }

  /** Writes what each line begins with. Within one second only three digits of it change. */
  #writeStart(now: number): void {
    const before = this.#timeMs;
    this.#timeMs = now;
    const isSameSecond =
      Math.floor(now / millisecondsPerSecond) === Math.floor(before / millisecondsPerSecond);
    if (isSameSecond) {
      this.#end = this.#millisecondsAt;
      this.#appendDigits(now % millisecondsPerSecond, 3);
      return;
    }
    const head = `{"level":"${this.#level}","time":"${new Date(now).toISOString()}`;
    const start = Buffer.concat([Buffer.from(`${head}"`), this.#base]);
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(keptBytes, 2 * start.length));
    this.#bytes.set(start);
    this.#startBytes = start.length;
    this.#millisecondsAt = head.length - 'mmmZ'.length;
  }

  #appendDigits(value: number, digits: number): void {
    let rest = value;
    for (let at = this.#end + digits - 1; at >= this.#end; at -= 1) {
      this.#bytes[at] = digitZero + (rest % 10);
      rest = Math.floor(rest / 10);
    }
    this.#end += digits;
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#bytes.length) return;
    const longer = Buffer.allocUnsafeSlow(2 * (this.#end + bytes));
    longer.set(this.#bytes.subarray(0, this.#end));
    this.#bytes = longer;
  }
}
