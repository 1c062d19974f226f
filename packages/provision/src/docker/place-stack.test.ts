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

test('stackEndpoints() are the addresses of the control planes, or their published ports from elsewhere', () => {
  assert.deepEqual(stackEndpoints(cluster, true), ['10.5.0.2', '10.5.0.3']);
  assert.deepEqual(stackEndpoints(cluster, false), ['127.0.0.1:40001', '127.0.0.1:40002']);
});

test('reachesNodes() knows the addresses of this host from others', async () => {
  // 192.0.2.0/24 up to 203.0.113.0/24 are for documentation: nobody has them.
  assert.deepEqual([await reachesNodes('127.0.0.1'), await reachesNodes('203.0.113.1')], [true, false]);
});
