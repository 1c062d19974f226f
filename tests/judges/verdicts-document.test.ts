import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row } from './row.ts';
import { readRows, verdictsDocument } from './verdicts-document.ts';

const row: Row = {
  ...{ name: 'lint', subject: 'files', version: '1.0', state: 'passed', verdict: 'accepted' },
  ...{ date: '2026-11-29', findings: [] },
};

const known = [{ judge: 'lint', findings: /a|b/, reason: 'a reason' }];

test('verdictsDocument() keeps the row of a judge that was skipped, and drops one that is gone', () => {
  const other: Row = { ...row, name: 'scan' };
  const before = verdictsDocument([row, other], known, '');
  const skipped: Row = { ...row, version: '', state: 'skipped', verdict: 'not installed', findings: [] };
  assert.deepEqual(readRows(verdictsDocument([skipped], known, before)), [
    ['lint', '1.0', 'files', 'accepted', '2026-11-29'],
  ]);
});

test('verdictsDocument() replaces the row of a judge, and leaves out one that never had a verdict', () => {
  const before = verdictsDocument([row], known, '');
  const failed: Row = { ...row, state: 'failed', verdict: '1 new | findings', date: '2026-11-30' };
  const never: Row = { ...row, name: 'scan', state: 'skipped' };
  assert.deepEqual(readRows(verdictsDocument([failed, never], known, before)), [
    ['lint', '1.0', 'files', '**failed**: 1 new \\| findings', '2026-11-30'],
  ]);
});

test('verdictsDocument() lists what is expected, with its reason', () => {
  assert.match(verdictsDocument([row], known, ''), /^\| lint \| `a\\\|b` \| a reason \|$/m);
});
