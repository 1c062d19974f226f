import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessWarnings } from './access-warnings.ts';

const trust = (ca: string | undefined, acceptedCAs: string[] = [], id = 'a') => ({
  issuingCA: ca === undefined ? undefined : { certificate: `${ca}\n` },
  acceptedCAs,
  cluster: { id } as Parameters<typeof accessWarnings>[0]['cluster'],
});

test('accessWarnings() warns when the current CA will not be trusted, and when the cluster changes', () => {
  const warningsFor = (next: ReturnType<typeof trust>) => accessWarnings(trust('old'), next);
  assert.match(
    warningsFor(trust('new')).join(),
    /^this configuration does not accept the current CA: the node/,
  );
  assert.match(warningsFor(trust('new', [], 'b')).join(), /CA, and it names another cluster: the node/);
  assert.equal(warningsFor(trust(undefined)).length, 1);
});

test('accessWarnings() is empty while the current CA issues or is accepted, or when there was no CA', () => {
  for (const next of [trust('old'), trust('old', [], 'b'), trust('new', ['old'])]) {
    assert.deepEqual(accessWarnings(trust('old'), next), []);
  }
  assert.deepEqual(accessWarnings(trust(undefined), trust('new')), []);
});
