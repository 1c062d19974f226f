import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessWarnings } from './access-warnings.ts';

const trust = (ca: string | undefined, acceptedCAs: string[] = [], id = 'a') => ({
  issuingCA: ca === undefined ? undefined : { certificate: `${ca}\n` },
  acceptedCAs,
  cluster: { id } as Parameters<typeof accessWarnings>[0]['cluster'],
});

test('accessWarnings() says that the CA in force is trusted no more, and when the cluster is another', () => {
  const said = (next: ReturnType<typeof trust>) => accessWarnings(trust('old'), next);
  assert.match(said(trust('new')).join(), /^this configuration does not accept the current CA: the node/);
  assert.match(said(trust('new', [], 'b')).join(), /CA, and it names another cluster: the node/);
  assert.equal(said(trust(undefined)).length, 1);
});

test('accessWarnings() says nothing while the CA in force issues or is accepted, or when there was none', () => {
  for (const next of [trust('old'), trust('old', [], 'b'), trust('new', ['old'])]) {
    assert.deepEqual(accessWarnings(trust('old'), next), []);
  }
  assert.deepEqual(accessWarnings(trust(undefined), trust('new')), []);
});
