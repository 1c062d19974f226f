import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodePlaces, placesFrom, placesWithout, type RecordedPlaces } from './recorded-places.ts';
import { encodeReset, resetFrom } from './reset-record.ts';

const disk = '11111111-2222-4333-8444-555555555555';
const partition = '99999999-2222-4333-8444-555555555555';
const places: RecordedPlaces = new Map([['EPHEMERAL', { disk, partition, isMade: true }]]);

test('a record of places reads as it was written, and is short', () => {
  for (const one of [places, 'lost', new Map()] as const)
    assert.deepEqual(placesFrom(encodePlaces(one)), one);
  assert.ok((encodePlaces(places)?.length ?? 0) < 120);
});

test('a value that is not understood counts as lost, and never as none', () => {
  const row = ['EPHEMERAL', disk, partition, 1];
  for (const value of [
    ...[null, {}, 0, 'x', [1], [[]], [['STATE', disk, partition, 1]], [['EPHEMERAL', disk, partition]]],
    ...[[['EPHEMERAL', disk, '/dev/vdb', 1]], [['EPHEMERAL', disk, partition, 2]], [row, row]],
    Array(1000).fill(row),
  ])
    assert.equal(placesFrom(Buffer.from(JSON.stringify(value))), 'lost', JSON.stringify(value).slice(0, 80));
  for (const text of ['', '[', '\0', 'x'.repeat(1 << 16)])
    assert.equal(placesFrom(Buffer.from(text)), 'lost');
});

test('what was lost is known again when every volume that could be meant was wiped', () => {
  assert.equal(placesWithout('lost', ['STATE']), 'lost');
  assert.deepEqual(placesWithout('lost', ['EPHEMERAL']), new Map());
  assert.deepEqual(placesWithout(places, ['STATE']), places);
  assert.deepEqual(placesWithout(places, ['EPHEMERAL']), new Map());
});

test('a record of a reset about the system disk alone has the form of earlier versions', () => {
  const record = { removed: ['STATE'], elsewhere: [], keepsMeta: false, isWhole: false };
  assert.equal(Buffer.from(encodeReset(record)).toString(), '{"removed":["STATE"]}');
  const more = { removed: [], elsewhere: [{ disk, partition }], keepsMeta: true, isWhole: true };
  for (const one of [record, more]) assert.deepEqual(resetFrom(encodeReset(one)), one);
});
