import { clientPreface, frameFlags, frameTypes } from '../frame-types.ts';
import { encodedBound, HpackEncoder } from '../hpack/hpack-encoder.ts';

/** Frames for tests, as bytes. */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

export function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function settings(...pairs: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(6 * pairs.length);
  pairs.forEach(([id, value], index) => {
    payload.writeUInt16BE(id, 6 * index);
    payload.writeUInt32BE(value, 6 * index + 2);
  });
  return frame(frameTypes.settings, 0, 0, payload);
}

export function block(fields: readonly string[]): Buffer {
  const output = Buffer.alloc(encodedBound(fields));
  return output.subarray(0, new HpackEncoder().encode(fields, output, 0));
}

export const { endStream, endHeaders, acknowledge, padded, priority } = frameFlags;

export function headers(stream: number, fields: readonly string[], flags: number = endHeaders): Buffer {
  return frame(frameTypes.headers, flags, stream, block(fields));
}

export function data(stream: number, body: Uint8Array, flags = 0): Buffer {
  return frame(frameTypes.data, flags, stream, body);
}

export const settingsAnswer = frame(frameTypes.settings, acknowledge, 0);
export const preface = Buffer.concat([clientPreface, settings(), settingsAnswer]);
