import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MessageCollector, messagePrefix, OversizeMessage } from './message-collector.ts';

test('MessageCollector yields every message complete however the bytes are split', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }),
      (bodies, sizes) => {
        const bytes = Buffer.concat(bodies.flatMap((body) => [messagePrefix(body.length), body]));
        const collector = new MessageCollector(50);
        const found: Buffer[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          for (const { body } of collector.push(bytes.subarray(at, at + size))) found.push(Buffer.from(body));
          at += size;
        }
        assert.deepEqual(
          found,
          bodies.map((body) => Buffer.from(body)),
        );
        assert.equal(collector.insideMessage, false);
      },
    ),
  );
});

test('MessageCollector reports how much of an incomplete message arrived', () => {
  const collector = new MessageCollector(50);
  assert.deepEqual([...collector.push(Buffer.from([0, 0]))], []);
  assert.deepEqual([collector.insideMessage, collector.shortfall], [true, '2 of 5 prefix bytes']);
  assert.deepEqual([...collector.push(Buffer.from([0, 0, 9, 1]))], []);
  assert.equal(collector.shortfall, '1 of 9 bytes');
});

test('MessageCollector marks compressed messages and rejects oversized ones', () => {
  const collector = new MessageCollector(50);
  assert.deepEqual(
    [...collector.push(Buffer.from([1, 0, 0, 0, 1, 7]))],
    [{ body: Buffer.from([7]), compressed: true }],
  );
  assert.throws(
    () => [...collector.push(messagePrefix(51))],
    (error) => error instanceof OversizeMessage && error.sizeBytes === 51 && error.limitBytes === 50,
  );
});
