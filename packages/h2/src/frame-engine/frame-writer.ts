import type { Socket } from 'node:net';
import { h2Limits } from '../h2-limits.ts';
import type { RawHeaders } from '../raw-headers.ts';
import { blockOf, isScratch, type ReadBlock, readBlockBytes } from '../read-blocks.ts';
import { keptEncoding } from '../repeated-headers.ts';
import { partOf } from './frame-stream.ts';
import {
  defaultFrameBytes,
  frameFlags,
  frameHeadBytes,
  frameTypes,
  pingBytes,
  settingBytes,
} from './frame-types.ts';
import { encodedBound, type HpackEncoder } from './hpack/hpack-encoder.ts';

/** Size of the memory in which small frames are collected, in bytes: about fifty responses. */
const slabBytes = 8192;
/** The same for large parts of bodies that are copied. */
const { largeSlabBytes } = h2Limits.memory;
/** When so much of it is used, it is used again from the front if that is possible. */
const reusedBytes = slabBytes / 2;
/** Body bytes up to this size are copied beside the other frames; larger chunks are passed on as they are. */
const copyBytes = 1024;
/**
 * A piece holds its whole block until it is written. Smaller pieces than these are copied: the first when the socket takes everything at
 * once, the second when it does not, because a client that reads slowly holds its pieces for long.
 */
const heldBytes = readBlockBytes / 16;
const heldForLongBytes = readBlockBytes / 4;
const empty = Buffer.alloc(0);
/** Below this size, a loop that copies bytes is faster than a call of the runtime. */
const loopBytes = 128;

export type WrittenListener = (error?: Error | null) => void;

/**
 * Collects the frames of a connection, so that the socket gets one write per turn. Small frames are written
 * side by side into one piece of memory; no frame is an object of its own.
 */
export class FrameWriter {
  readonly #socket: Socket;
  readonly #encoder: HpackEncoder;
  readonly #countCopy: (bytes: number) => void;
  #slab: Buffer = empty;
  /** The part of the slab that has frames for the next write. */
  #start = 0;
  #end = 0;
  /** Complete pieces of the next write, before the open piece and the part of the slab. */
  #pieces: Uint8Array[] = [];
  #pieceBytes = 0;
  /** A part of a chunk of body, to which the frames that follow it in the same chunk are added. */
  #open: Uint8Array | undefined;
  /** The block of that chunk, which the writer holds. */
  #openBlock: ReadBlock | undefined;
  #openStart = 0;
  #openEnd = 0;
  /** The blocks that have pieces of the next write. */
  #blocks: ReadBlock[] = [];
  /** Where the head of the last frame is, when it is DATA that may still grow; then its stream and its size. */
  #dataHead: Uint8Array | undefined;
  #dataAt = 0;
  #dataStream = 0;
  #dataBytes = 0;
  #tableUpdateDue = false;

  /** @param countCopy called with the size of each large piece of new memory */
  constructor(socket: Socket, encoder: HpackEncoder, countCopy: (bytes: number) => void = () => {}) {
    this.#socket = socket;
    this.#encoder = encoder;
    this.#countCopy = countCopy;
  }

  /** Bytes that the next `flush` writes. */
  get pendingBytes(): number {
    return this.#pieceBytes + this.#openEnd - this.#openStart + this.#end - this.#start;
  }

  /** The peer has lowered the size of its table: the next header block must say that none is used. */
  dropTable(): void {
    this.#tableUpdateDue = true;
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#slab.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  headers(stream: number, fields: RawHeaders, endStream: boolean): void {
    const flags = frameFlags.endHeaders | (endStream ? frameFlags.endStream : 0);
    const kept = this.#tableUpdateDue ? undefined : keptEncoding(fields);
    if (kept?.bytes !== undefined) {
      this.#reserve(frameHeadBytes + kept.bytes.length);
      this.#head(kept.bytes.length, frameTypes.headers, flags, stream);
      this.#slab.set(kept.bytes, this.#end);
      this.#end += kept.bytes.length;
      return;
    }
    const bound = encodedBound(fields);
    if (bound + frameHeadBytes > slabBytes) {
      this.#largeHeaders(stream, fields, bound, endStream);
      return;
    }
    this.#reserve(frameHeadBytes + bound);
    const head = this.#end;
    const end = this.#encode(fields, this.#slab, head + frameHeadBytes);
    if (kept !== undefined)
      kept.bytes = Uint8Array.prototype.slice.call(this.#slab, head + frameHeadBytes, end);
    this.#head(end - head - frameHeadBytes, frameTypes.headers, flags, stream);
    this.#end = end;
  }

  /**
   * Writes the bytes from `start` to `end` of a chunk, with the bytes of a frame head before `start` if there are so many: in the DATA
   * frame that was just written, if it is this stream's and stays below `frameBytes`, or in one of their own. These bytes now belong to
   * the writer; if they are in a block of `read-blocks.ts`, until they are written; if they are in its scratch, until this returns.
   */
  data(
    stream: number,
    chunk: Uint8Array,
    start: number,
    end: number,
    endStream: boolean,
    frameBytes: number,
  ): void {
    const length = end - start;
    const isSmall = length <= copyBytes;
    const flags = endStream ? frameFlags.endStream : 0;
    // Right behind the last part: the frame stays one piece with it, however small it is.
    const follows = start >= frameHeadBytes && this.#continues(chunk, start - frameHeadBytes, end);
    const isCopied = !follows && (isSmall || isScratch(chunk));
    let from = start;
    if (
      !follows &&
      this.#dataHead !== undefined &&
      this.#dataStream === stream &&
      this.#dataBytes + length <= frameBytes
    ) {
      if (isCopied) this.#reserve(length);
      this.#dataBytes += length;
      writeHead(this.#dataHead, this.#dataAt, this.#dataBytes, frameTypes.data, flags, stream);
    } else {
      if (!isCopied && start >= frameHeadBytes) {
        // In the place of the head with which the body has arrived, so that a chunk of many frames is one piece.
        from = start - frameHeadBytes;
        writeHead(chunk, from, length, frameTypes.data, flags, stream);
        this.#dataHead = chunk;
        this.#dataAt = from;
      } else {
        this.#reserve(frameHeadBytes + (isCopied ? length : 0));
        this.#dataAt = this.#end;
        this.#head(length, frameTypes.data, flags, stream);
        this.#dataHead = this.#slab;
      }
      this.#dataStream = stream;
      this.#dataBytes = length;
    }
    if (endStream) this.#dataHead = undefined;
    if (!isCopied) {
      this.#addPart(chunk, from, end);
      return;
    }
    const slab = this.#slab;
    const to = this.#end;
    if (length > loopBytes) slab.set(partOf(chunk, start, end), to);
    else for (let at = 0; at < length; at += 1) slab[to + at] = chunk[start + at] as number;
    this.#end = to + length;
  }

  /** Ends a stream: with the DATA frame that was just written, if it is this stream's, or with an empty one. */
  endStream(stream: number): void {
    if (this.#dataHead !== undefined && this.#dataStream === stream) {
      writeHead(this.#dataHead, this.#dataAt, this.#dataBytes, frameTypes.data, frameFlags.endStream, stream);
      this.#dataHead = undefined;
      return;
    }
    this.#reserve(frameHeadBytes);
    this.#head(0, frameTypes.data, frameFlags.endStream, stream);
  }

  resetStream(stream: number, code: number): void {
    this.#numbers(frameTypes.resetStream, stream, code);
  }

  windowUpdate(stream: number, increment: number): void {
    this.#numbers(frameTypes.windowUpdate, stream, increment);
  }

  goaway(lastStream: number, code: number): void {
    this.#reserve(frameHeadBytes + 8);
    this.#head(8, frameTypes.goaway, 0, 0);
    this.#slab.writeUInt32BE(lastStream, this.#end);
    this.#slab.writeUInt32BE(code, this.#end + 4);
    this.#end += 8;
  }

  /** Answers a PING with its own payload. */
  pingAnswer(bytes: Buffer, start: number): void {
    this.#reserve(frameHeadBytes + pingBytes);
    this.#head(pingBytes, frameTypes.ping, frameFlags.acknowledge, 0);
    bytes.copy(this.#slab, this.#end, start, start + pingBytes);
    this.#end += pingBytes;
  }

  /** Sends a PING whose payload is this number. */
  ping(id: number): void {
    this.#reserve(frameHeadBytes + pingBytes);
    this.#head(pingBytes, frameTypes.ping, 0, 0);
    this.#slab.writeUInt32BE(0, this.#end);
    this.#slab.writeUInt32BE(id, this.#end + 4);
    this.#end += pingBytes;
  }

  /** Sends settings as pairs of identifier and value. */
  settings(...pairs: readonly (readonly [id: number, value: number])[]): void {
    const length = pairs.length * settingBytes;
    this.#reserve(frameHeadBytes + length);
    this.#head(length, frameTypes.settings, 0, 0);
    for (const [id, value] of pairs) {
      this.#slab.writeUInt16BE(id, this.#end);
      this.#slab.writeUInt32BE(value, this.#end + 2);
      this.#end += settingBytes;
    }
  }

  settingsAnswer(): void {
    this.#reserve(frameHeadBytes);
    this.#head(0, frameTypes.settings, frameFlags.acknowledge, 0);
  }

  /**
   * Writes everything that was collected to the socket.
   *
   * @param onWritten called when the socket has written it, or has failed. Not called when nothing was collected.
   */
  flush(onWritten?: WrittenListener): void {
    const socket = this.#socket;
    const isLarge = this.pendingBytes > slabBytes;
    this.#dataHead = undefined;
    if (this.#pieces.length === 0 && this.#open === undefined) {
      if (this.#end === this.#start) return;
      socket.write(this.#slab.subarray(this.#start, this.#end), onWritten);
    } else {
      this.#closePiece();
      this.#closePart();
      const pieces = this.#pieces;
      this.#pieces = [];
      this.#pieceBytes = 0;
      const written = this.#releaseBlocks(onWritten);
      const last = pieces.length - 1;
      if (last === 0) socket.write(pieces[0] as Uint8Array, written);
      else {
        socket.cork();
        for (let at = 0; at < last; at += 1) socket.write(pieces[at] as Uint8Array);
        socket.write(pieces[last] as Uint8Array, written);
        socket.uncork();
      }
    }
    this.#start = this.#end;
    const isWritten = socket.writableLength === 0;
    // A large slab is kept while large parts come and the socket takes them at once.
    if (this.#slab.length > slabBytes && !(isWritten && isLarge)) this.#slab = empty;
    // The socket keeps no reference to the slab once everything is written.
    if (!isWritten && this.#slab !== empty) return;
    this.#start = 0;
    this.#end = 0;
  }

  #encode(fields: RawHeaders, output: Buffer, at: number): number {
    let start = at;
    if (this.#tableUpdateDue) {
      this.#tableUpdateDue = false;
      start = this.#encoder.dropTable(output, at);
    }
    return this.#encoder.encode(fields, output, start);
  }

  /** A block that may need CONTINUATION frames. */
  #largeHeaders(stream: number, fields: RawHeaders, bound: number, endStream: boolean): void {
    const block = Buffer.allocUnsafe(bound);
    const end = this.#encode(fields, block, 0);
    for (let at = 0; at === 0 || at < end; at += defaultFrameBytes) {
      const part = block.subarray(at, Math.min(end, at + defaultFrameBytes));
      const isFirst = at === 0;
      const flags =
        (at + defaultFrameBytes >= end ? frameFlags.endHeaders : 0) |
        (isFirst && endStream ? frameFlags.endStream : 0);
      this.#reserve(frameHeadBytes);
      this.#head(part.length, isFirst ? frameTypes.headers : frameTypes.continuation, flags, stream);
      this.#addPart(part, 0, part.length);
    }
  }

  /** Writes a frame with one number of 32 bits. */
  #numbers(type: number, stream: number, value: number): void {
    this.#reserve(frameHeadBytes + 4);
    this.#head(4, type, 0, stream);
    const slab = this.#slab;
    const at = this.#end;
    slab[at] = value >>> 24;
    slab[at + 1] = value >>> 16;
    slab[at + 2] = value >>> 8;
    slab[at + 3] = value;
    this.#end = at + 4;
  }

  /** Writes a frame head, for which there must be room. */
  #head(length: number, type: number, flags: number, stream: number): void {
    writeHead(this.#slab, this.#end, length, type, flags, stream);
    this.#end += frameHeadBytes;
    this.#dataHead = undefined;
  }

  /** Makes room for `bytes` bytes in one piece, at most those of a large slab. */
  #reserve(bytes: number): void {
    if (this.#end > reusedBytes && this.#end === this.#start) this.#reuseSlab();
    if (this.#end + bytes <= this.#slab.length) return;
    this.#closePiece();
    const isLarge = bytes > slabBytes;
    if (isLarge) this.#countCopy(largeSlabBytes);
    this.#slab = Buffer.allocUnsafeSlow(isLarge ? largeSlabBytes : slabBytes);
    this.#start = 0;
    this.#end = 0;
  }

  /** Starts at the front of the slab again, if the socket has written everything: TLS does that later than `flush`. */
  #reuseSlab(): void {
    if (this.#pieces.length > 0 || this.#socket.writableLength > 0) return;
    this.#start = 0;
    this.#end = 0;
  }

  /** Adds a part of a chunk to the next write: to the part before it, if it follows that in memory. */
  #addPart(chunk: Uint8Array, start: number, end: number): void {
    if (this.#continues(chunk, start, end)) {
      this.#openEnd += end - start;
      return;
    }
    this.#closePiece();
    this.#closePart();
    this.#openBlock = blockOf(chunk);
    this.#openBlock?.hold();
    this.#open = chunk;
    this.#openStart = start;
    this.#openEnd = end;
  }

  /** Whether these bytes follow the open part in memory, and nothing else is to be written between them. */
  #continues(chunk: Uint8Array, start: number, end: number): boolean {
    const open = this.#open;
    return (
      open !== undefined &&
      this.#end === this.#start &&
      open.buffer === chunk.buffer &&
      open.byteOffset + this.#openEnd === chunk.byteOffset + start &&
      this.#openEnd + end - start <= open.length
    );
  }

  /** What to call when the pieces are written: it ends the holds of their blocks, and then calls `onWritten`. */
  #releaseBlocks(onWritten: WrittenListener | undefined): WrittenListener | undefined {
    const blocks = this.#blocks;
    if (blocks.length === 0) return onWritten;
    this.#blocks = [];
    return (error) => {
      // The system may still read the memory of a write that failed: such a block is not used again.
      if (!error) for (const block of blocks) block.release();
      onWritten?.(error);
    };
  }

  #closePart(): void {
    if (this.#open === undefined) return;
    const part = partOf(this.#open, this.#openStart, this.#openEnd);
    const block = this.#openBlock;
    if (block === undefined) this.#pieces.push(part);
    else if (part.length >= (this.#socket.writableLength > 0 ? heldForLongBytes : heldBytes)) {
      this.#pieces.push(part);
      this.#blocks.push(block);
    } else {
      this.#pieces.push(Buffer.from(part));
      block.release();
      // The frame in the copy cannot grow.
      if (this.#dataHead === this.#open) this.#dataHead = undefined;
    }
    this.#openBlock = undefined;
    this.#pieceBytes += this.#openEnd - this.#openStart;
    this.#open = undefined;
    this.#openStart = 0;
    this.#openEnd = 0;
  }

  /** Moves the frames in the slab to the pieces of the next write. */
  #closePiece(): void {
    if (this.#end === this.#start) return;
    this.#closePart();
    this.#pieces.push(this.#slab.subarray(this.#start, this.#end));
    this.#pieceBytes += this.#end - this.#start;
    this.#start = this.#end;
  }
}

function writeHead(
  slab: Uint8Array,
  at: number,
  length: number,
  type: number,
  flags: number,
  stream: number,
): void {
  slab[at] = length >>> 16;
  slab[at + 1] = length >>> 8;
  slab[at + 2] = length;
  slab[at + 3] = type;
  slab[at + 4] = flags;
  slab[at + 5] = stream >>> 24;
  slab[at + 6] = stream >>> 16;
  slab[at + 7] = stream >>> 8;
  slab[at + 8] = stream;
}
