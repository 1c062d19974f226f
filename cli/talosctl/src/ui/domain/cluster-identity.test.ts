import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterIdentity } from './cluster-identity.ts';

test('clusterIdentity() tells clusters apart that share the name of their context', () => {
  const of = (ca: string | undefined, context = 'admin') => clusterIdentity({ context, cluster: 'home', ca });
  assert.equal(of('Q0E='), of('Q0E='));
  assert.equal(new Set([of('Q0E='), of('Q0I='), of(undefined), of('Q0E=', 'other')]).size, 4);
  assert.match(of('Q0E='), /^[\da-f]{32}$/);
});
