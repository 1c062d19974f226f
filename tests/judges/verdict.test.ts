import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAccepted, verdictOf } from './verdict.ts';

const expected = [
  { judge: 'checksec', findings: /bin\/\w+: pie no/, reason: 'linked so' },
  { judge: 'nmap', findings: /port 1/, reason: 'of another judge' },
];

test('verdictOf() accepts what is expected of this judge, with its reason', () => {
  const verdict = verdictOf('checksec', [{ id: 'bin/runc: pie no' }, { id: 'bin/nft: pie no' }], expected);
  assert.deepEqual(verdict, { accepted: [expected[0]], fresh: [], stale: [] });
  assert.ok(isAccepted(verdict));
});

test('verdictOf() takes an expected id as a whole, so a longer one is new', () => {
  const findings = [{ id: 'bin/runc: pie no' }, { id: 'sbin/runc: pie no' }, { id: 'port 1' }];
  const verdict = verdictOf('checksec', findings, expected);
  assert.deepEqual(
    verdict.fresh.map(({ id }) => id),
    ['sbin/runc: pie no', 'port 1'],
  );
  assert.equal(isAccepted(verdict), false);
});

test('verdictOf() refuses when an expected finding is gone', () => {
  const verdict = verdictOf('checksec', [], expected);
  assert.deepEqual(verdict, { accepted: [], fresh: [], stale: [expected[0]] });
  assert.equal(isAccepted(verdict), false);
});
