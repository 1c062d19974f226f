import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { checkClusterName, checkShape, describeShape, planNodes } from './cluster-shape.ts';

test('planNodes() puts control planes first and numbers names and addresses in that order', () => {
  assert.deepEqual(planNodes({ controlPlanes: 2, workers: 1 }, { first: 127, second: 40, third: 9 }), [
    { name: 'node01', type: 'controlplane', address: '127.40.9.2' },
    { name: 'node02', type: 'controlplane', address: '127.40.9.3' },
    { name: 'node03', type: 'worker', address: '127.40.9.4' },
  ]);
});

const limit = { kind: 'process', most: 253 };

test('checkShape() accepts 1 to 253 nodes with at least one control plane', () => {
  checkShape({ controlPlanes: 1, workers: 252 }, limit);
  for (const shape of [
    { controlPlanes: 0, workers: 1 },
    { controlPlanes: 1, workers: -1 },
    { controlPlanes: 1, workers: 253 },
    { controlPlanes: Number.NaN, workers: 0 },
    { controlPlanes: 1.5, workers: 0 },
  ]) {
    assert.throws(
      () => checkShape(shape, limit),
      (error) => error instanceof Fault && error.kind === 'invalid-argument',
    );
  }
});

test('checkClusterName() rejects names with path separators, line breaks or a leading dot', () => {
  checkClusterName('talos-default');
  checkClusterName('A.b_c-9');
  for (const name of ['', '..', '.hidden', 'a/b', 'a\nb', 'a b', '-x', 'x'.repeat(64)]) {
    assert.throws(
      () => checkClusterName(name),
      (error) => error instanceof Fault && error.kind === 'invalid-argument' && !error.message.includes('\n'),
      name,
    );
  }
});

test('describeShape() uses the singular for one node', () => {
  assert.equal(describeShape({ controlPlanes: 3, workers: 1 }), '3 control planes and 1 worker');
});
