import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { System } from '../loader/boot-state.ts';
import {
  emptyRecord,
  metaValues,
  outsideNeeds,
  shortReason,
  type UpgradeRecord,
  upgradeKeys,
  upgradeRecordFrom,
} from './upgrade-record.ts';

const a: System = { slot: 'A', rootHash: 'a'.repeat(64) };
const b: System = { slot: 'B', rootHash: 'b'.repeat(64) };
const full: UpgradeRecord = {
  trial: {
    ...{ system: b, wayBack: a, phase: 'given up', reason: 'apid is not healthy' },
    missingBefore: [...outsideNeeds],
  },
  ...{ confirmed: a, previous: b, failed: { system: b, reason: shortReason('x'.repeat(1000)) } },
  staged: { image: 'registry.example/installer:v2', options: '{"Force":true}' },
};

/** META after the record was written. */
function meta(record: UpgradeRecord): Map<number, Uint8Array> {
  const values = new Map<number, Uint8Array>();
  for (const [key, value] of metaValues(record)) if (value !== undefined) values.set(key, value);
  return values;
}

test('a record reads as it was written', () => {
  for (const record of [
    full,
    emptyRecord,
    { ...emptyRecord, confirmed: a },
    { ...emptyRecord, staged: full.staged },
  ])
    assert.deepEqual(upgradeRecordFrom(meta(record)), record);
});

test('an empty record removes its values, and clients of Talos see a trial and a staged upgrade', () => {
  assert.deepEqual(meta(emptyRecord).size, 0);
  assert.equal(metaValues(emptyRecord).size, Object.keys(upgradeKeys).length);
  const text = (key: number) => Buffer.from(meta(full).get(key) ?? []).toString();
  assert.deepEqual([6, 7, 8].map(text), ['A', 'registry.example/installer:v2', '{"Force":true}']);
});

test('the longest record fits into what is read', () => {
  assert.ok((meta(full).get(upgradeKeys.record)?.length ?? 0) < 2048);
  assert.equal(shortReason('x'.repeat(301)).length, 300);
  assert.throws(() => metaValues({ ...full, staged: { image: 'x'.repeat(1025), options: '' } }), RangeError);
  assert.throws(() => metaValues({ ...full, staged: { image: 'x', options: 'x'.repeat(8193) } }), RangeError);
});

test('a record that is not understood is lost, and so is that of a damaged META', () => {
  assert.equal(upgradeRecordFrom(undefined), 'lost');
  const written = JSON.parse(Buffer.from(meta(full).get(upgradeKeys.record) ?? []).toString());
  const changed = [
    ...['', '{', 'null', '7', '"x"', '[]x', '[]', `{"x":"${'x'.repeat(5000)}"}`],
    ...[
      { confirmed: 7 },
      { confirmed: { slot: 'C', rootHash: a.rootHash } },
      { previous: { slot: 'A' } },
      { failed: {} },
    ],
    ...[
      { trial: { ...written.trial, phase: 'x' } },
      { trial: { ...written.trial, missingBefore: 'quorum' } },
    ],
    ...[{ trial: { ...written.trial, reason: 'x'.repeat(301) } }, { trial: null }],
  ].map((value) => (typeof value === 'string' ? value : JSON.stringify({ ...written, ...value })));
  for (const text of changed)
    assert.equal(
      upgradeRecordFrom(new Map([[upgradeKeys.record, Buffer.from(text)]])),
      'lost',
      text.slice(0, 200),
    );
});

test('a staged upgrade without an image, or with a value that is too long, is ignored', () => {
  const read = (image: string, options = '') => {
    const values = new Map([
      [7, Buffer.from(image)],
      [8, Buffer.from(options)],
    ]);
    const found = upgradeRecordFrom(values);
    return found === 'lost' ? found : found.staged;
  };
  assert.equal(read(''), undefined);
  assert.equal(read('x'.repeat(1025)), undefined);
  assert.equal(read('x', 'y'.repeat(8193)), undefined);
  assert.deepEqual(read('x'), { image: 'x', options: '' });
});

test('every value can be read', () => {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.json().map(Buffer.from)), (value) => {
      const found = upgradeRecordFrom(new Map(Object.values(upgradeKeys).map((key) => [key, value])));
      if (found !== 'lost') metaValues(found);
    }),
  );
});
