import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Data } from '@nodewright/contract/gen/common/common.ts';
import fc from 'fast-check';
import { byteMessages } from './byte-messages.ts';

const lengths = fc.constantFrom(0, 1, 2, 126, 127, 128, 129, 1024, 16_383, 16_384, 16_385, 40_000);
const messages = fc.record({
  bytes: fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.tuple(lengths, fc.nat(255)).map(([length, byte]) => Buffer.alloc(length, byte)),
  ),
  metadata: fc.constantFrom(undefined, Data.fromPartial({ metadata: { hostname: 'node01' } }).metadata),
});

test('byteMessages encode and decode like the generated code', () => {
  fc.assert(
    fc.property(messages, (message) => {
      const wire = Buffer.from(Data.encode(message).finish());
      assert.deepEqual(Buffer.from(byteMessages.encode(message).finish()), wire);
      assert.deepEqual(byteMessages.decode(wire), Data.decode(wire));
    }),
  );
});

test('byteMessages decode every other form of a message, and reject the same input, as the generated code does', () => {
  const outcome = (decode: () => unknown) => {
    try {
      return decode();
    } catch (error) {
      return String(error);
    }
  };
  const starts = fc.constantFrom([], [0x12], [0x12, 0x80], [0x12, 0x83, 0x80], [0x12, 0x02, 1, 2, 0x12]);
  fc.assert(
    fc.property(starts, fc.uint8Array({ maxLength: 40 }), (start, rest) => {
      const wire = Buffer.from([...start, ...rest]);
      assert.deepEqual(
        outcome(() => byteMessages.decode(wire)),
        outcome(() => Data.decode(wire)),
      );
    }),
    { numRuns: 1000 },
  );
});
