import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { ReadBlocks, roomBytes, scratch } from '../read-blocks.ts';
import { FrameWriter } from './frame-writer.ts';
import { HpackEncoder } from './hpack/hpack-encoder.ts';
import { data, endStream, frame, number } from './testing/frames.ts';

/** A writer over a stream, and what it has written. */
function openWriter() {
  const written: Buffer[] = [];
  const stream = new Duplex({
    write(chunk: Buffer, _encoding, done) {
      written.push(Buffer.from(chunk));
      done();
    },
  });
  const writer = new FrameWriter(stream as unknown as Socket, new HpackEncoder());
  /** Writes a part of a larger chunk. */
  const write = (id: number, bytes: Buffer) =>
    writer.data(id, Buffer.concat([body(7, 0), bytes, body(9, 0)]), 7, 7 + bytes.length, false, 16_384);
  return { writer, write, written, bytes: () => Buffer.concat(written) };
}

const body = (length: number, value: number) => Buffer.alloc(length, value);

test('FrameWriter joins the body of a stream in frames up to the limit, and ends the last one', () => {
  const { writer, write, bytes } = openWriter();
  write(1, body(3000, 1));
  write(1, body(20, 2));
  write(1, body(13_364, 3));
  write(1, body(1, 4));
  writer.endStream(1);
  writer.endStream(3);
  writer.flush();
  assert.deepEqual(
    bytes(),
    Buffer.concat([
      data(1, Buffer.concat([body(3000, 1), body(20, 2), body(13_364, 3)])),
      data(1, body(1, 4), endStream),
      data(3, body(0, 0), endStream),
    ]),
  );
});

test('FrameWriter joins no body across other frames, streams or writes', () => {
  const { writer, write, bytes } = openWriter();
  write(1, body(5, 1));
  write(3, body(5, 2));
  writer.windowUpdate(0, 7);
  write(3, body(5, 3));
  writer.flush();
  write(3, body(5, 4));
  assert.equal(writer.pendingBytes, 14);
  writer.flush();
  assert.deepEqual(
    bytes(),
    Buffer.concat([
      data(1, body(5, 1)),
      data(3, body(5, 2)),
      frame(8, 0, 0, number(7)),
      data(3, body(5, 3)),
      data(3, body(5, 4)),
    ]),
  );
});

test('FrameWriter writes the frames of a chunk as one piece, with heads in the place of those that were read', () => {
  const { writer, written, bytes } = openWriter();
  const bodies = [body(2000, 1), body(1500, 2), body(3000, 3)];
  const chunk = Buffer.concat(bodies.map((part) => data(7, part)));
  let at = 0;
  for (const { length } of bodies) {
    writer.data(5, chunk, at + 9, at + 9 + length, false, 3000);
    at += 9 + length;
  }
  assert.equal(writer.pendingBytes, chunk.length);
  writer.endStream(5);
  writer.flush();
  assert.deepEqual(
    bytes(),
    Buffer.concat([...bodies.slice(0, 2).map((part) => data(5, part)), data(5, body(3000, 3), endStream)]),
  );
  assert.equal(written.length, 1);
});

test('FrameWriter keeps the order of frames around parts of chunks', () => {
  const { writer, bytes } = openWriter();
  const [first, second] = [body(2000, 1), body(2000, 2)];
  const chunk = Buffer.concat([data(7, first), data(9, second)]);
  writer.windowUpdate(0, 1);
  writer.data(1, chunk, 9, 2009, false, 16_384);
  writer.windowUpdate(0, 2);
  writer.data(3, chunk, 2018, 4018, false, 16_384);
  // Joined with the frame before it, whose head is in another chunk.
  writer.data(3, second, 0, 2000, true, 16_384);
  writer.windowUpdate(0, 3);
  writer.flush();
  assert.deepEqual(
    bytes(),
    Buffer.concat([
      frame(8, 0, 0, number(1)),
      data(1, first),
      frame(8, 0, 0, number(2)),
      data(3, Buffer.concat([second, second]), endStream),
      frame(8, 0, 0, number(3)),
    ]),
  );
});

test('FrameWriter writes small frames whole, however few bytes are left in its memory before them', () => {
  // Frames of 17 bytes move the end of the memory, 8192 bytes, through every place in a frame of 13.
  for (let pings = 0; pings < 13; pings += 1) {
    const { writer, bytes } = openWriter();
    for (let id = 0; id < pings; id += 1) writer.ping(id);
    for (let count = 1; count <= 1300; count += 1) writer.windowUpdate(0, count);
    writer.flush();
    const updates = bytes().subarray(pings * 17);
    const wanted = Array.from({ length: 1300 }, (_, at) => frame(8, 0, 0, number(at + 1)));
    assert.ok(updates.equals(Buffer.concat(wanted)), `after ${pings} pings`);
  }
});

test('FrameWriter uses no memory again that the socket has not written', () => {
  const kept: Uint8Array[] = [];
  const socket = { writableLength: 0, write: (bytes: Uint8Array) => kept.push(bytes) };
  const writer = new FrameWriter(socket as unknown as Socket, new HpackEncoder());
  const pings = (first: number, end: number) => {
    for (let id = first; id < end; id += 1) writer.ping(id);
    writer.flush();
  };
  const idsOf = (bytes: Uint8Array | undefined) =>
    Array.from({ length: (bytes?.length ?? 0) / 17 }, (_, at) =>
      Buffer.from(bytes ?? []).readUInt32BE(at * 17 + 13),
    );
  socket.writableLength = 1;
  pings(0, 300);
  pings(300, 400);
  assert.deepEqual(kept.flatMap(idsOf), [...Array(400).keys()]);
  socket.writableLength = 0;
  pings(0, 50);
  assert.deepEqual(idsOf(kept[2]), [...Array(50).keys()]);
  assert.equal(kept[2]?.byteOffset, kept[0]?.byteOffset);
});

/** Writes these bytes from a block of their own, and overwrites that as soon as nobody holds it. */
function writeFromBlock(writer: FrameWriter, blocks: ReadBlocks, id: number, bytes: Buffer): void {
  const block = blocks.take();
  bytes.copy(block.memory, roomBytes);
  writer.data(id, block.memory, roomBytes, roomBytes + bytes.length, false, 65_536);
  block.release();
}

test('FrameWriter holds the block of a large piece until it is written, and copies a small one', () => {
  const blocks = new ReadBlocks((memory) => void memory.fill(0xff));
  const { writer, bytes } = openWriter();
  const small = [body(2000, 1), body(3000, 2), body(4000, 3)];
  for (const part of small) writeFromBlock(writer, blocks, 1, part);
  assert.equal(blocks.lent, 1, 'the last small piece may still grow');
  writeFromBlock(writer, blocks, 3, body(40_000, 4));
  assert.equal(blocks.lent, 1);
  writer.flush();
  const received = framesOf(bytes());
  const bodyOfStream = (wanted: number) =>
    Buffer.concat(received.filter(({ id }) => id === wanted).map(({ part }) => part));
  assert.deepEqual(bodyOfStream(1), Buffer.concat(small));
  assert.deepEqual(bodyOfStream(3), body(40_000, 4));
});

test('FrameWriter copies what is in the scratch at once, into memory that it uses again while the socket takes it', () => {
  const written: Buffer[] = [];
  const memory = new Set<ArrayBufferLike>();
  const socket = {
    writableLength: 0,
    write(bytes: Uint8Array) {
      written.push(Buffer.from(bytes));
      memory.add(bytes.buffer);
    },
    cork() {},
    uncork() {},
  };
  let counted = 0;
  const writer = new FrameWriter(socket as unknown as Socket, new HpackEncoder(), (bytes) => {
    counted += bytes;
  });
  const parts: Buffer[] = [];
  const turn = (...sizes: readonly number[]) => {
    for (const size of sizes) {
      const part = body(size, parts.length);
      parts.push(part);
      part.copy(scratch);
      writer.data(1, scratch, 0, size, false, 16_384);
      scratch.fill(0xff);
    }
    writer.flush();
  };
  for (let round = 0; round < 10; round += 1) turn(16_384, 10_000, 16_384, 700);
  assert.equal(memory.size, 1);
  assert.equal(counted, 65_536);
  // More than fits, and then a socket that takes nothing: nothing that waits is overwritten.
  turn(16_384, 16_384, 16_384, 16_384, 16_384);
  const before = counted;
  socket.writableLength = 1;
  for (let round = 0; round < 4; round += 1) turn(16_384, 1, 9000);
  // The first turn still has the memory of the one before.
  assert.equal(counted - before, 3 * 65_536);
  socket.writableLength = 0;
  turn(100, 8000);
  const bodies = framesOf(Buffer.concat(written)).map(({ part }) => part);
  assert.ok(Buffer.concat(bodies).equals(Buffer.concat(parts)));
});

/** The DATA frames in these bytes. */
function framesOf(bytes: Buffer): { readonly id: number; readonly part: Buffer }[] {
  const frames: { id: number; part: Buffer }[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUIntBE(at, 3);
    frames.push({ id: bytes.readUInt32BE(at + 5), part: bytes.subarray(at + 9, at + 9 + length) });
    at += 9 + length;
  }
  return frames;
}
