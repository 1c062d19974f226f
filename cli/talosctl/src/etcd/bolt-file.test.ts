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

test('a file of two buckets, one of them inline, gives every pair in order', () => {
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

test('the newer of the two headers counts, and one that is damaged does not', () => {
  const bytes = buildBoltFile([{ name: 'key', pairs: [['a', '1'] as const] }]);
  const damagedSecond = Buffer.from(bytes);
  damagedSecond[4096 + 16 + 16] = 0xff;
  assert.deepEqual(pairsOf(itemsOf(damagedSecond)), [['key', 'a', '1']]);
});

test('what is no database, or not a whole one, is refused', () => {
  const bytes = buildBoltFile([{ name: 'key', pairs: [['a', '1'] as const] }]);
  const rows: [Uint8Array, RegExp][] = [
    [Buffer.alloc(0), /no header/],
    [Buffer.from('#!/bin/sh\n'), /no header/],
    [bytes.subarray(0, bytes.length - 4096), /not whole/],
  ];
  for (const [content, message] of rows) {
    assert.throws(
      () => itemsOf(content),
      (error) => error instanceof Fault && message.test(error.message),
    );
  }
});

test('a file with any bytes changed is read or refused, and never takes long', () => {
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
