import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { SnapshotChecksum } from './snapshot-checksum.ts';

function matches(bytes: Uint8Array, cuts: readonly number[]): boolean {
  const checksum = new SnapshotChecksum();
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  let from = 0;
  for (const to of ends) {
    checksum.update(bytes.subarray(from, to));
    from = to;
  }
  return checksum.matches();
}

test('SnapshotChecksum finds every changed byte, however the snapshot is cut into pieces', () => {
  const change = fc.record({ at: fc.nat(), by: fc.integer({ min: 1, max: 255 }) });
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(fc.nat()), change, (body, cuts, { at, by }) => {
      const bytes = Buffer.concat([body, createHash('sha256').update(body).digest()]);
      assert.ok(matches(bytes, cuts));
      const index = at % bytes.length;
      bytes[index] = (bytes[index] ?? 0) ^ by;
      assert.ok(!matches(bytes, cuts));
    }),
  );
});

test('SnapshotChecksum does not accept what is shorter than a checksum', () => {
  assert.ok(!matches(Buffer.alloc(0), []));
  assert.ok(!matches(Buffer.alloc(31), [3]));
});
