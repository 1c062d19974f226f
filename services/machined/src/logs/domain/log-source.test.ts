import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logSourceOf } from './log-source.ts';

test('logSourceOf() distinguishes logs in memory from logs of containers', () => {
  assert.equal(logSourceOf({ namespace: 'system', id: 'etcd', driver: 9 }), 'memory');
  assert.equal(logSourceOf({ namespace: '', id: 'kubelet', driver: 0 }), 'memory');
  assert.equal(logSourceOf({ namespace: 'k8s.io', id: 'x', driver: 0 }), 'container');
  assert.equal(logSourceOf({ namespace: 'k8s.io', id: 'a/b:c', driver: 1 }), 'container');
  assert.throws(() => logSourceOf({ namespace: 'a', id: 'x', driver: 1 }), { kind: 'unknown' });
  assert.throws(() => logSourceOf({ namespace: 'k8s.io', id: 'x', driver: 3 }), { kind: 'invalid-argument' });
});
