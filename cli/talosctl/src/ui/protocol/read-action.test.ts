import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readAction, readNodes } from './read-action.ts';

test('readAction() reads each action, and nothing that it does not know', () => {
  const reset = { kind: 'reset', isGraceful: true, reboots: false, wiped: ['STATE'], userDisks: [] };
  const actions = [
    { kind: 'shutdown' },
    { kind: 'reboot', mode: 'force' },
    { kind: 'service', verb: 'stop', id: 'etcd' },
    { ...reset, wiped: 'everything' },
    reset,
    { kind: 'etcd', verb: 'leave' },
    { kind: 'etcd', verb: 'remove-member', member: '8e9e05c52164694d' },
  ];
  for (const action of actions) assert.deepEqual(readAction({ ...action, extra: 1 }), action);
});

test('readAction() refuses what is not complete', () => {
  const refused = [
    ...[undefined, null, 'reboot', [], {}, { kind: 'upgrade' }, { kind: '__proto__' }],
    ...[{ kind: 'reboot' }, { kind: 'reboot', mode: 'FORCE' }, { kind: 'service', verb: 'stop' }],
    ...[
      { kind: 'service', verb: 'kill', id: 'a' },
      { kind: 'service', verb: 'stop', id: 'x'.repeat(300) },
    ],
    { kind: 'reset', isGraceful: 'yes', reboots: false, wiped: 'everything', userDisks: [] },
    { kind: 'reset', isGraceful: true, reboots: false, wiped: [], userDisks: [] },
    { kind: 'reset', isGraceful: true, reboots: false, wiped: 'everything' },
    { kind: 'etcd', verb: 'remove-member', member: 'x' },
    { kind: 'etcd', verb: 'snapshot' },
  ];
  for (const value of refused) assert.equal(typeof readAction(value), 'string', JSON.stringify(value));
});

test('readNodes() accepts only nodes that are shown, once each', () => {
  const shown = new Set(['a', 'b']);
  assert.deepEqual(readNodes(['b', 'a', 'b'], shown), ['b', 'a']);
  for (const value of [undefined, [], 'a', ['c'], [1], [['a']]])
    assert.equal(typeof readNodes(value, shown), 'string');
});

test('no JSON makes them throw', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      readAction(value);
      readNodes(value, new Set(['a']));
    }),
  );
});
