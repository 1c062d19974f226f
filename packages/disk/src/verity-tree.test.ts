import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { VerityTreeBuilder, verityTree, verityTreeBytes, verityTreeInit } from './verity-tree.ts';

/** Bytes that look random and are the same in every run. */
const all = Buffer.concat(
  Array.from({ length: 128 * 130 }, (_, at) => createHash('sha256').update(`${at}`).digest()),
);

test('a tree is the same however the data is cut into pieces, and has the announced size', () => {
  const sizes = fc.constantFrom(1, 4095, 4096, 4097, 12_288, 128 * 4096, 128 * 4096 + 1, 129 * 4096 + 5);
  fc.assert(
    fc.property(sizes, fc.array(fc.integer({ min: 0, max: 20_000 })), (bytes, pieces) => {
      const data = all.subarray(0, bytes);
      const init = { salt: Buffer.from('salt'), uuid: Buffer.alloc(16, 7) };
      const whole = verityTree(data, init);
      const builder = new VerityTreeBuilder(init);
      let at = 0;
      for (const piece of pieces) {
        builder.update(data.subarray(at, at + piece));
        at += piece;
      }
      builder.update(data.subarray(at));
      assert.deepEqual(builder.finish(), whole);
      assert.equal(whole.file.length, verityTreeBytes(bytes));
      assert.deepEqual(verityTreeInit(whole.file), init);
    }),
    { numRuns: 50 },
  );
});

test('verityTreeInit() is undefined for what is shorter than a superblock or has a longer salt', () => {
  assert.equal(verityTreeInit(Buffer.alloc(511)), undefined);
  const { file } = verityTree(all.subarray(0, 1), { salt: Buffer.alloc(0), uuid: Buffer.alloc(16) });
  file.writeUInt16LE(257, 80);
  assert.equal(verityTreeInit(file), undefined);
});
