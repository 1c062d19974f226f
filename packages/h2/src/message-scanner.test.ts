import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MessageScanner } from './message-scanner.ts';

function message(length: number, declared = length): Buffer {
  const bytes = Buffer.alloc(5 + length, 9);
  bytes[0] = 0;
  bytes.writeUInt32BE(declared, 1);
  return bytes;
}

/** Splits bytes at the given positions. */
function split(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ordered = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...ordered].map((start, index) => bytes.subarray(start, ordered[index] ?? bytes.length));
}

test('MessageScanner counts messages however the bytes are split', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 8 }),
      fc.array(fc.nat(), { maxLength: 12 }),
      (lengths, places) => {
        const scanner = new MessageScanner(40);
        const bytes = Buffer.concat(lengths.map((length) => message(length)));
        for (const chunk of split(bytes, places)) assert.equal(scanner.push(chunk), chunk.length);
        assert.deepEqual([scanner.messages, scanner.insideMessage], [lengths.length, false]);
      },
    ),
  );
});

test('MessageScanner reports every proper prefix of a message as incomplete', () => {
  const bytes = message(6);
  const shortfalls = Array.from({ length: bytes.length - 1 }, (_, index) => {
    const scanner = new MessageScanner(100);
    scanner.push(bytes.subarray(0, index + 1));
    assert.equal(scanner.insideMessage, true);
    return scanner.shortfall;
  });
  assert.deepEqual(shortfalls, [
    '1 of 5 prefix bytes',
    '2 of 5 prefix bytes',
    '3 of 5 prefix bytes',
    '4 of 5 prefix bytes',
    '0 of 6 bytes',
    '1 of 6 bytes',
    '2 of 6 bytes',
    '3 of 6 bytes',
    '4 of 6 bytes',
    '5 of 6 bytes',
  ]);
});

test('MessageScanner stops before a message that declares too large a size', () => {
  const scanner = new MessageScanner(10);
  const good = message(10);
  assert.equal(scanner.push(Buffer.concat([good, message(3, 11)])), good.length);
  assert.equal(scanner.declaredBytes, 11);
});

test('MessageScanner reads the length as unsigned, even when the prefix arrives in pieces', () => {
  const scanner = new MessageScanner(10);
  const bytes = message(0, 0xffff_fffe);
  assert.equal(scanner.push(bytes.subarray(0, 3)), 3);
  assert.equal(scanner.push(bytes.subarray(3)), 0);
  assert.equal(scanner.declaredBytes, 0xffff_fffe);
});
