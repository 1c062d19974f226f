import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { keyOf, readSubscriptions } from './subscription.ts';

const nodes = new Set(['node01', 'node02']);

test('readSubscriptions() accepts each kind once, for known nodes', () => {
  const wanted = [
    { kind: 'node', node: 'node01' },
    { kind: 'log', node: 'node01', log: 'apid' },
    { kind: 'resources', node: 'node02', type: 'Members.cluster.talos.dev' },
  ];
  assert.deepEqual(readSubscriptions([...wanted, ...wanted], nodes, 10), wanted);
  assert.deepEqual(readSubscriptions([], nodes, 10), []);
});

test('readSubscriptions() refuses everything else with a reason', () => {
  const refused: unknown[] = [
    ...[null, 'x', {}, [null], ['x'], [{}], [{ kind: 'node' }], [{ kind: 'node', node: 'node09' }]],
    ...[[{ kind: 'log', node: 'node01' }], [{ kind: 'log', node: 'node01', log: 'x'.repeat(300) }]],
    ...[[{ kind: 'resources', node: 'node01', type: 7 }], [{ kind: '__proto__', node: 'node01' }]],
    Array.from({ length: 11 }, () => ({ kind: 'node', node: 'node01' })),
  ];
  for (const value of refused) {
    assert.equal(typeof readSubscriptions(value, nodes, 10), 'string', JSON.stringify(value));
  }
});

test('readSubscriptions() never passes on what was not checked', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const found = readSubscriptions(value, nodes, 10);
      return typeof found === 'string' || found.every((each) => nodes.has(each.node) && keyOf(each) !== '');
    }),
  );
});
