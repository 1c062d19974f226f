import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FrameReader, type FrameSink } from './frame-reader.ts';
import { frameHeadBytes } from './frame-types.ts';
import { data } from './testing/frames.ts';
import { testSeed } from './testing/seed.ts';

const seed = testSeed();

/** The free end of a block is too small for the next chunk below this size, in bytes. */
const leastRoomBytes = 16 * 1024;
const blockBytes = 64 * 1024;

/** Keeps all payloads, and writes over the bytes in front of each part as a sink may. */
class WritingSink implements FrameSink {
  readonly parts: Buffer[] = [];
  frames = 0;
  #head = Buffer.alloc(frameHeadBytes, 0xee);

  frame(): void {}
  dataHead(): void {}
  dataPart(bytes: Buffer, start: number, end: number): void {
    if (start >= frameHeadBytes) this.#head.copy(bytes, start - frameHeadBytes);
    this.parts.push(bytes.subarray(start, end));
  }
  dataEnd(): void {
    this.frames += 1;
  }
}

/**
 * Chunks as sockets deliver them, with where they are in their memory: large ones one behind the other in a block with room for a head
 * before each, small ones in memory of their own.
 */
function* chunksOf(
  stream: Buffer,
  sizes: readonly number[],
  keptBytes: number,
): Generator<[bytes: Buffer, start: number, end: number]> {
  let block = Buffer.allocUnsafeSlow(blockBytes);
  let used = 0;
  let at = 0;
  for (let turn = 0; at < stream.length; turn += 1) {
    if (blockBytes - used < leastRoomBytes) {
      block = Buffer.allocUnsafeSlow(blockBytes);
      used = 0;
    }
    const length = Math.min(
      sizes[turn % sizes.length] as number,
      stream.length - at,
      blockBytes - used - frameHeadBytes,
    );
    const chunk = stream.subarray(at, at + length);
    at += length;
    if (length < keptBytes) yield [Buffer.from(chunk), 0, length];
    else {
      used += frameHeadBytes;
      chunk.copy(block, used);
      yield [block, used, used + length];
      used += length;
    }
  }
}

test(`a sink may keep payloads and write over the heads before them, wherever chunks are in memory (seed ${seed})`, () => {
  const size = fc.oneof(
    fc.integer({ min: 0, max: 40 }),
    fc.integer({ min: 0, max: 16_384 }),
    fc.constant(16_384),
  );
  const chunk = fc.oneof(
    fc.integer({ min: 1, max: 30 }),
    fc.integer({ min: 4000, max: 9000 }),
    fc.integer({ min: 9000, max: 60_000 }),
  );
  fc.assert(
    fc.property(
      fc.array(size, { minLength: 1, maxLength: 30 }),
      fc.array(chunk, { minLength: 1, maxLength: 12 }),
      (payloadSizes, chunkSizes) => {
        let next = 0;
        const payloads = payloadSizes.map((length) => {
          const payload = Buffer.alloc(length);
          for (let at = 0; at < length; at += 1) payload[at] = (next + (at >> 8) + at) & 0x7f;
          next += 31;
          return payload;
        });
        const sink = new WritingSink();
        const reader = new FrameReader(sink);
        const stream = Buffer.concat(payloads.map((payload) => data(1, payload)));
        for (const [bytes, start, end] of chunksOf(stream, chunkSizes, 8192)) reader.read(bytes, start, end);
        assert.equal(sink.frames, payloads.length);
        assert.ok(Buffer.concat(sink.parts).equals(Buffer.concat(payloads)));
      },
    ),
    { seed, numRuns: 150 },
  );
});
