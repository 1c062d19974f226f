import { enhanceYourCalm, frameSizeError, protocolError } from './connection-error.ts';
import { floodLimits } from './flood-limits.ts';
import { frameFlags, priorityBytes } from './frame-types.ts';
import type { HeaderBlock } from './hpack/header-block.ts';
import { HpackDecoder } from './hpack/hpack-decoder.ts';

const { bytesPerContinuation, spareContinuations, fields: maxFields } = floodLimits;

/** Puts header blocks together from HEADERS and CONTINUATION frames, and decodes them. */
export class HeaderAssembler {
  readonly #decoder: HpackDecoder;
  readonly #maxBlockBytes: number;
  readonly #maxContinuations: number;
  /** The stream whose block is incomplete; 0 when there is none. */
  stream = 0;
  /** Whether that block ends its stream. */
  endsStream = false;
  #parts: Buffer[] = [];
  #bytes = 0;
  #continuations = 0;

  /** @param maxListBytes the largest header list, which is also the largest block */
  constructor(maxListBytes: number) {
    this.#decoder = new HpackDecoder({ maxListBytes, maxFields });
    this.#maxBlockBytes = maxListBytes;
    this.#maxContinuations = spareContinuations + Math.ceil(maxListBytes / bytesPerContinuation);
  }

  /** The peer has acknowledged this size of the dynamic table. */
  allowTable(sizeBytes: number): void {
    this.#decoder.allowTable(sizeBytes);
  }

  /** The start of a block in HEADERS, without padding. Returns the block when it is complete. */
  begin(stream: number, flags: number, bytes: Buffer, start: number, end: number): HeaderBlock | undefined {
    this.endsStream = (flags & frameFlags.endStream) !== 0;
    if ((flags & frameFlags.endHeaders) !== 0) return this.#decoder.decode(bytes, start, end);
    this.stream = stream;
    this.#continuations = 0;
    this.#add(bytes, start, end);
    return undefined;
  }

  /** @throws ConnectionError when it is not the next part of the block, or too many parts arrive */
  continue(
    stream: number,
    flags: number,
    bytes: Buffer,
    start: number,
    end: number,
  ): HeaderBlock | undefined {
    if (this.stream === 0 || stream !== this.stream) throw protocolError('CONTINUATION follows no HEADERS');
    this.#continuations += 1;
    if (this.#continuations > this.#maxContinuations) throw enhanceYourCalm('too many CONTINUATION frames');
    this.#add(bytes, start, end);
    if ((flags & frameFlags.endHeaders) === 0) return undefined;
    const block = Buffer.concat(this.#parts, this.#bytes);
    this.stream = 0;
    this.#parts = [];
    this.#bytes = 0;
    return this.#decoder.decode(block, 0, block.length);
  }

  #add(bytes: Buffer, start: number, end: number): void {
    this.#bytes += end - start;
    if (this.#bytes > this.#maxBlockBytes) throw enhanceYourCalm('a header block is too large');
    if (end > start) this.#parts.push(Buffer.from(bytes.subarray(start, end)));
  }
}

/** The start of the block in a HEADERS frame, after the priority that it may have. */
export function blockStart(stream: number, flags: number, bytes: Buffer, start: number, end: number): number {
  if ((flags & frameFlags.priority) === 0) return start;
  if (end - start < priorityBytes) throw frameSizeError('HEADERS has no room for its priority');
  const dependency = bytes.readUInt32BE(start) & 0x7fff_ffff;
  if (dependency === stream) throw protocolError('a stream depends on itself');
  return start + priorityBytes;
}
