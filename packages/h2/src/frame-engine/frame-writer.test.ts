import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
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
  return { writer, write, bytes: () => Buffer.concat(written) };
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
