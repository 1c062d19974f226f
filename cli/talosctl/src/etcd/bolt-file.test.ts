import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import { BoltFile, type BoltItem } from './bolt-file.ts';
import { buildBoltFile } from './build-bolt-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'bolt-'));
after(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'db');

function itemsOf(bytes: Uint8Array): BoltItem[] {
  writeFileSync(path, bytes);
  using file = new BoltFile(path);
  return [...file.items()];
}

const pairsOf = (items: readonly BoltItem[]) =>
  items.flatMap((item) => (item.kind === 'pair' ? [[item.bucket, item.key, item.value].map(String)] : []));

test('items() yields every pair of two buckets in order, one of them inline', () => {
  const bytes = buildBoltFile([
    { name: 'key', pairs: [['a', '1'] as const, ['b', 'x'.repeat(9000)] as const] },
    { name: 'meta', pairs: [['term', '7'] as const], inline: true },
  ]);
  assert.deepEqual(pairsOf(itemsOf(bytes)), [
    ['key', 'a', '1'],
    ['key', 'b', 'x'.repeat(9000)],
    ['meta', 'term', '7'],
  ]);
});

test('the newest undamaged meta page is used', () => {
  const bytes = buildBoltFile([{ name: 'key', pairs: [['a', '1'] as const] }]);
  const damagedSecond = Buffer.from(bytes);
  damagedSecond[4096 + 16 + 16] = 0xff;
  assert.deepEqual(pairsOf(itemsOf(damagedSecond)), [['key', 'a', '1']]);
});

test('BoltFile rejects a file that is not a database, and a truncated one', () => {
  const bytes = buildBoltFile([{ name: 'key', pairs: [['a', '1'] as const] }]);
  const rows: [Uint8Array, RegExp][] = [
    [Buffer.alloc(0), /no valid meta page/],
    [Buffer.from('#!/bin/sh\n'), /no valid meta page/],
    [bytes.subarray(0, bytes.length - 4096), /truncated/],
  ];
  for (const [content, message] of rows) {
    assert.throws(
      () => itemsOf(content),
      (error) => error instanceof Fault && message.test(error.message),
    );
  }
});

test('a file with random changes is read or rejected without an endless loop', () => {
  const bytes = buildBoltFile([
    { name: 'key', pairs: Array.from({ length: 20 }, (_, index) => [`k${index}`, 'value'] as const) },
    { name: 'meta', pairs: [['term', '7'] as const], inline: true },
  ]);
  const change = fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 }));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
      const changed = Buffer.from(bytes);
      for (const [at, value] of changes) changed[at] = value;
      try {
        itemsOf(changed);
      } catch (error) {
        assert.ok(error instanceof Fault, String(error));
      }
    }),
  );
});
