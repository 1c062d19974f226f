import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeClient } from '../node-client.ts';
import { checkHealth } from './check-health.ts';
import { type CheckedCluster, type HealthCheck, ok } from './health-check.ts';

const never = new Promise<never>(() => {});

function lines(
  run: HealthCheck['run'],
  timeoutMs: number,
  more: { kubeconfig?: () => Promise<string> } = {},
) {
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
