import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { memberIdInWal } from './wal-member.ts';

/** The first records of a log that etcd 3.7 wrote for the member a032c83c92e971f5. */
const written = Buffer.from(
  '04000000000000840804100000000000' +
    '2000000000000000080110c9a7edab0f1a1608f5e3a597c987b299a0011087f2a2e2e593f0ecbd01' +
    '0e00000000000082080510c9fff5f10d1a0408001000' +
    '0000',
  'hex',
);
const id = 0xa032c83c92e971f5n;

test('memberIdInWal() reads the id in the metadata of a log', () => {
  assert.equal(memberIdInWal(written), id);
});

test('memberIdInWal() takes any bytes, and finds an id only where the metadata are whole', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: written.length }), (length) => {
      assert.equal(memberIdInWal(written.subarray(0, length)), length < 56 ? undefined : id);
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat({ max: written.length - 1 }), (noise, at) => {
      memberIdInWal(noise);
      memberIdInWal(Buffer.concat([written.subarray(0, at), noise]));
    }),
  );
});
