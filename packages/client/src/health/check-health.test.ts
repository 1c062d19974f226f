import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { NodeClient } from '../node-client.ts';
import { type CheckHealthInit, checkHealth } from './check-health.ts';
import { type CheckedCluster, type HealthCheck, ok } from './health-check.ts';

const never = new Promise<never>(() => {});

function lines(run: HealthCheck['run'], timeoutMs: number, more: Partial<CheckHealthInit> = {}) {
  return checkHealth({
    nodes: { controlPlanes: ['10.0.0.1'], workers: [] },
    node: () => ({}) as NodeClient,
    ...{ timeoutMs, intervalMs: 20, signal: new AbortController().signal },
    checks: [{ name: 'an answer', run }],
    ...more,
  });
}

async function all(checks: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const line of checks) found.push(line);
  return found;
}

test('checkHealth() ends an attempt of a check that does not end with its signal, and tries again', async () => {
  let attempts = 0;
  const run = () => {
    attempts += 1;
    return attempts === 1 ? never : Promise.resolve(ok);
  };
  assert.deepEqual((await all(lines(run, 600_000))).slice(1), [
    'waiting for an answer: ...',
    'waiting for an answer: no answer within 0.02s',
    'waiting for an answer: OK',
  ]);
});

test('checkHealth() ends with its deadline when a check never ends', async () => {
  const message = /^the cluster is not healthy after 0\.05s of waiting for an answer: /;
  await assert.rejects(all(lines(() => never, 50)), { kind: 'deadline-exceeded', message });
});

test('checkHealth() asks for credentials again when a request for them got no answer', async () => {
  let requests = 0;
  const kubeconfig = () => {
    requests += 1;
    return requests === 1 ? never : Promise.reject(new Error('second request'));
  };
  const run = async (cluster: CheckedCluster, signal: AbortSignal) => {
    await cluster.kubernetes(signal).catch((error: Error) => assert.equal(error.message, 'second request'));
    return ok;
  };
  assert.equal((await all(lines(run, 600_000, { kubeconfig }))).at(-1), 'waiting for an answer: OK');
});

test('checkHealth() begins again with the nodes of now when a node that does not answer is no longer listed', async () => {
  const both = { controlPlanes: ['10.0.0.1', '10.0.0.2'], workers: [] };
  const one = { controlPlanes: ['10.0.0.1'], workers: [] };
  const listed = [
    both,
    new Error('not reachable'),
    { controlPlanes: ['10.0.0.2', '10.0.0.1'], workers: [] },
    one,
  ];
  const rediscover = () => {
    const next = listed.shift() ?? one;
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  };
  const run: HealthCheck['run'] = ({ nodes }) =>
    nodes.controlPlanes.length === 1
      ? Promise.resolve(ok)
      : Promise.reject(new Error('no route to 10.0.0.2'));
  const checks = [
    { name: 'something', run: () => Promise.resolve(ok) },
    { name: 'an answer', run },
  ];
  assert.deepEqual(await all(lines(run, 600_000, { nodes: both, rediscover, checks })), [
    'discovered nodes: ["10.0.0.1" "10.0.0.2"]',
    'waiting for something: ...',
    'waiting for something: OK',
    'waiting for an answer: ...',
    'waiting for an answer: no route to 10.0.0.2',
    'discovered nodes: ["10.0.0.1"]',
    'waiting for something: ...',
    'waiting for something: OK',
    'waiting for an answer: ...',
    'waiting for an answer: OK',
  ]);
});

test('checkHealth() keeps its nodes when none is listed any more, and when nobody answers who they are', async () => {
  let asked = 0;
  const rediscover = async (signal: AbortSignal) => {
    asked += 1;
    if (asked === 1) return { controlPlanes: [], workers: [] };
    return once(signal, 'abort').then(() => Promise.reject(new Error('no answer')));
  };
  let attempts = 0;
  const run = () => {
    attempts += 1;
    return attempts < 3 ? Promise.reject(new Error('not yet')) : Promise.resolve(ok);
  };
  const found = await all(lines(run, 600_000, { rediscover }));
  assert.deepEqual(found.slice(1), [
    'waiting for an answer: ...',
    'waiting for an answer: not yet',
    'waiting for an answer: OK',
  ]);
});
