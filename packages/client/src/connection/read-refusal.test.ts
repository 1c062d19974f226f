import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { refusalIn } from './read-refusal.ts';

const frame = (type: number, payload: Buffer) => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  return Buffer.concat([head, payload]);
};
/** SETTINGS, then a GOAWAY. */
const refusalFrames = (reason: string) =>
  Buffer.concat([frame(4, Buffer.alloc(0)), frame(7, Buffer.concat([Buffer.alloc(8), Buffer.from(reason)]))]);

test('refusalIn() returns the reason in a GOAWAY that follows SETTINGS', () => {
  assert.equal(refusalIn(refusalFrames('client certificate has expired')), 'client certificate has expired');
});

test('refusalIn() returns no reason for SETTINGS alone, or for a GOAWAY that is truncated or has no text', () => {
  const refusal = refusalFrames('no');
  assert.deepEqual(
    [refusal.subarray(0, 9), refusalFrames(''), refusal.subarray(0, -1), Buffer.alloc(0)].map(refusalIn),
    [undefined, undefined, undefined, undefined],
  );
});

test('refusalIn() accepts any bytes', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void refusalIn(Buffer.from(bytes))));
});
