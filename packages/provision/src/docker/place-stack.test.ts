import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planNodes } from '../domain/cluster-shape.ts';
import { reachesNodes, stackEndpoints } from './place-stack.ts';

const cluster = {
  nodes: planNodes({ controlPlanes: 2, workers: 1 }, { first: 10, second: 5, third: 0 }),
  stack: {
    tag: 'dev',
    jaegerPort: 1,
    otlpPort: 2,
    publishedPorts: { node01: 40001, node02: 40002 },
    engine: {},
  },
};

test('stackEndpoints() returns the addresses of the control planes, or their published ports if unreachable', () => {
  assert.deepEqual(stackEndpoints(cluster, true), ['10.5.0.2', '10.5.0.3']);
  assert.deepEqual(stackEndpoints(cluster, false), ['127.0.0.1:40001', '127.0.0.1:40002']);
});

test('reachesNodes() distinguishes addresses of this host from others', async () => {
  // 203.0.113.0/24 is reserved for documentation, so no host has this address.
  assert.deepEqual([await reachesNodes('127.0.0.1'), await reachesNodes('203.0.113.1')], [true, false]);
});
