import { frameSizeError, protocolError } from './connection-error.ts';
import { defaultFrameBytes, frameFlags, frameHeadBytes, frameTypes } from './frame-types.ts';

/** Receives the frames of one direction of a connection, in order. Each method may throw a ConnectionError. */
export interface FrameSink {
  /**
   * A frame of any type but DATA, without padding. `bytes` belongs to the reader: what is kept must be copied.
   */
  frame(type: number, flags: number, stream: number, bytes: Buffer, start: number, end: number): void;
  /**
   * The head of a DATA frame. `length` is the whole payload, with padding, which flow control counts. `size`
   * is the payload without padding.
   */
  dataHead(flags: number, stream: number, length: number, size: number): void;
  /**
   * A part of the payload of the last DATA frame. If the memory is a block of `read-blocks.ts`, what is kept must be held or copied. If
   * the size of a frame head fits before `start`, those bytes are free (often the head and the padding length of this frame), and the sink
   * may write to them.
   */
  dataPart(bytes: Buffer, start: number, end: number): void;
  /** The last DATA frame is complete. */
  dataEnd(): void;
}

/** What the next bytes are. */
const reading = { head: 0, payload: 1, padLength: 2, data: 3, padding: 4 } as const;

/** Padded frames start with a byte that has the length of their padding. */
const padLengthBytes = 1;

/**
 * Splits the bytes of a connection into frames, wherever the chunks begin and end. DATA is passed on as it
 * arrives, without a copy. At most one other frame, of at most 16 KiB, is buffered.
 */
export class FrameReader {
  readonly #sink: FrameSink;
  #state: number = reading.head;
  /** A frame head that arrived in parts. */
  readonly #head = Buffer.alloc(frameHeadBytes);
  #headLength = 0;
  #type = 0;
  #flags = 0;
  #stream = 0;
  #length = 0;
  /** The payload of a frame that arrives in parts, and how much of it has arrived. */
  #payload: Buffer | undefined;
  #payloadLength = 0;
  /** Bytes of the DATA frame, and of its padding, that have not arrived. */
  #dataLeft = 0;
  #paddingLeft = 0;
  #stopped = false;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** Drops the rest of the current chunk and all later ones. */
  stop(): void {
    this.#stopped = true;
    this.#payload = undefined;
  }

  /**
   * Reads the bytes from `start` to `end`. If a frame head fits before `start`, those bytes must be free.
   *
   * @throws ConnectionError
   */
  read(chunk: Buffer, start = 0, end = chunk.length): void {
    let at = start;
    while (at < end && !this.#stopped) {
      switch (this.#state) {
        case reading.head:
          at = this.#readHead(chunk, at, end);
          break;
        case reading.payload:
          at = this.#readPayload(chunk, at, end);
          break;
        case reading.padLength:
          this.#beginData(chunk[at] as number);
          at += padLengthBytes;
          break;
        case reading.data:
          at = this.#readData(chunk, at, end);
          break;
        default: {
          const count = Math.min(this.#paddingLeft, end - at);
          at += count;
          this.#paddingLeft -= count;
          if (this.#paddingLeft === 0) this.#endData();
        }
      }
    }
  }

  #readHead(chunk: Buffer, at: number, end: number): number {
    if (this.#headLength === 0 && end - at >= frameHeadBytes) {
      this.#begin(chunk, at);
      return at + frameHeadBytes;
    }
    const count = Math.min(frameHeadBytes - this.#headLength, end - at);
    chunk.copy(this.#head, this.#headLength, at, at + count);
    this.#headLength += count;
    if (this.#headLength === frameHeadBytes) {
      this.#headLength = 0;
      this.#begin(this.#head, 0);
    }
    return at + count;
  }

  #begin(bytes: Buffer, at: number): void {
    const length =
      ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
    if (length > defaultFrameBytes) throw frameSizeError('a frame is larger than the settings allow');
    this.#length = length;
    this.#type = bytes[at + 3] as number;
    this.#flags = bytes[at + 4] as number;
    // The first bit is reserved and ignored.
    this.#stream =
      (((bytes[at + 5] as number) & 0x7f) << 24) |
      ((bytes[at + 6] as number) << 16) |
      ((bytes[at + 7] as number) << 8) |
      (bytes[at + 8] as number);
    if (this.#type !== frameTypes.data) {
      this.#state = reading.payload;
      this.#payloadLength = 0;
      if (length === 0) this.#pass(this.#head, 0, 0);
    } else if ((this.#flags & frameFlags.padded) === 0) {
      this.#dataLeft = length;
      this.#paddingLeft = 0;
      this.#state = reading.data;
      this.#sink.dataHead(this.#flags, this.#stream, length, length);
      if (length === 0) this.#endData();
    } else {
      if (length < padLengthBytes) throw frameSizeError('a padded frame has no room for its padding');
      this.#state = reading.padLength;
    }
  }

  #readPayload(chunk: Buffer, at: number, end: number): number {
    const length = this.#length;
    if (this.#payload === undefined) {
      if (end - at >= length) {
        this.#pass(chunk, at, at + length);
        return at + length;
      }
      this.#payload = Buffer.allocUnsafe(length);
    }
    const count = Math.min(length - this.#payloadLength, end - at);
    chunk.copy(this.#payload, this.#payloadLength, at, at + count);
    this.#payloadLength += count;
    if (this.#payloadLength === length) {
      const payload = this.#payload;
      this.#payload = undefined;
      this.#pass(payload, 0, length);
    }
    return at + count;
  }

  /** Passes on a whole frame, without the padding of HEADERS. */
  #pass(bytes: Buffer, start: number, end: number): void {
    this.#state = reading.head;
    const type = this.#type;
    const isPadded = (this.#flags & frameFlags.padded) !== 0 && type === frameTypes.headers;
    if (!isPadded) {
      this.#sink.frame(type, this.#flags, this.#stream, bytes, start, end);
      return;
    }
    if (end - start < padLengthBytes) throw frameSizeError('a padded frame has no room for its padding');
    const padding = bytes[start] as number;
    if (padding + padLengthBytes > end - start) throw protocolError('the padding exceeds the frame');
    this.#sink.frame(type, this.#flags, this.#stream, bytes, start + padLengthBytes, end - padding);
  }

  #beginData(padding: number): void {
    const size = this.#length - padLengthBytes - padding;
    if (size < 0) throw protocolError('the padding exceeds the frame');
    this.#dataLeft = size;
    this.#paddingLeft = padding;
    this.#sink.dataHead(this.#flags, this.#stream, this.#length, size);
    this.#afterData();
  }

  #readData(chunk: Buffer, at: number, end: number): number {
    const count = Math.min(this.#dataLeft, end - at);
    this.#dataLeft -= count;
    this.#sink.dataPart(chunk, at, at + count);
    this.#afterData();
    return at + count;
  }

  #afterData(): void {
    if (this.#dataLeft > 0) this.#state = reading.data;
    else if (this.#paddingLeft > 0) this.#state = reading.padding;
    else this.#endData();
  }

  #endData(): void {
    this.#state = reading.head;
    this.#sink.dataEnd();
  }
}
