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

/** A node whose etcd has these members. */
const nodeWithMembers = (...hosts: readonly string[]) => {
  const members = hosts.map((host) => ({ peerUrls: [`https://${host}:2380`] }));
  return () =>
    ({ machine: { etcdMemberList: async () => ({ messages: [{ members }] }) } }) as unknown as NodeClient;
};

test('checkHealth() begins again when a control plane that does not answer is neither listed nor a member of etcd', async () => {
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
  const init = { nodes: both, node: nodeWithMembers('10.0.0.1'), rediscover, checks };
  assert.deepEqual(await all(lines(run, 600_000, init)), [
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

test('checkHealth() fails when a node dies: that it is no longer listed does not mean that it is no longer expected', async () => {
  const before = { controlPlanes: ['10.0.0.1', 'fd00::2'], workers: ['10.0.0.3'] };
  const dead = [
    { controlPlanes: ['10.0.0.1'], workers: ['10.0.0.3'] },
    { controlPlanes: ['10.0.0.1', 'fd00::2'], workers: [] },
  ];
  for (const listed of dead) {
    const run: HealthCheck['run'] = ({ nodes }) =>
      nodes.controlPlanes.length + nodes.workers.length === 3
        ? Promise.reject(new Error('one does not answer'))
        : Promise.resolve(ok);
    const node = nodeWithMembers('10.0.0.1', '[fd00::2]');
    const checks = lines(run, 200, { nodes: before, node, rediscover: async () => listed });
    await assert.rejects(all(checks), { kind: 'deadline-exceeded' });
  }
});

test('checkHealth() expects a node that joins meanwhile, and pauses before it begins again', async () => {
  const nodes = { controlPlanes: ['10.0.0.1'], workers: [] };
  let joined = 0;
  const rediscover = async () => {
    joined += 1;
    return { ...nodes, workers: Array.from({ length: joined }, (_, index) => `10.0.1.${index}`) };
  };
  const run = () => Promise.reject(new Error('never'));
  await assert.rejects(all(lines(run, 300, { nodes, intervalMs: 100, rediscover })), {
    kind: 'deadline-exceeded',
  });
  assert.ok(joined >= 1 && joined <= 4, `asked ${joined} times`);
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
