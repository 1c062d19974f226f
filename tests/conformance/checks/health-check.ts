import assert from 'node:assert/strict';
import { checksOf, Skip } from '../check.ts';
import type { Subject } from '../subject/subject.ts';
import { CallFailure, codes } from '../wire/call-failure.ts';
import { cluster } from '../wire/methods.ts';
import { collect, expectFailure, take } from './expect.ts';

/** In the order in which they run. */
const labels = [
  'etcd to be healthy',
  'etcd members to be consistent across nodes',
  'etcd members to be control plane nodes',
  // Our own; other nodes do not name it.
  'etcd to have no alarms',
  'apid to be ready',
  'all nodes memory sizes',
  'all nodes disk sizes',
  'no diagnostics',
  'kubelet to be healthy',
  'all nodes to finish boot sequence',
  'all k8s nodes to report',
  'all control plane static pods to be running',
  'all control plane components to be ready',
  'all k8s nodes to report ready',
  'kube-proxy to report ready',
  'coredns to report ready',
  'all k8s nodes to report schedulable',
];

const waitTimeout = (seconds: number) => ({ seconds: BigInt(seconds), nanos: 0 });

/** The lines about checks. Other lines are free text, which clients print unchanged. */
function waitsOf(lines: readonly string[]): { readonly name: string; readonly state: string }[] {
  return lines.flatMap((line) => {
    if (!line.startsWith('waiting for ')) return [];
    const [, name = '', state = ''] = /^waiting for ([^:]+): (.+)$/s.exec(line) ?? [];
    return [{ name, state }];
  });
}

/** The lines within the wait timeout, whatever the results of the checks. */
async function told(
  { admin }: Subject,
  seconds: number,
): Promise<{ lines: string[]; failure?: CallFailure }> {
  const lines: string[] = [];
  try {
    const request = { waitTimeout: waitTimeout(seconds) };
    for await (const { message } of admin.stream(cluster.healthCheck, request)) lines.push(message);
    return { lines };
  } catch (error) {
    if (error instanceof CallFailure && error.code !== codes.unimplemented) return { lines, failure: error };
    throw error;
  }
}

export const healthCheckChecks = checksOf(cluster.healthCheck, {
  'health.lines': [
    'the nodes come first, then lines "waiting for <check>: <state>" of the known checks in order',
    async (subject) => {
      const { lines } = await told(subject, 5);
      assert.match(lines[0] ?? '', /^discovered nodes: \["[^"]*"( "[^"]*")*\]$/);
      const named = waitsOf(lines).map(({ name }) => name);
      assert.ok(named.length > 0, 'the reply names no check');
      for (const name of named) assert.ok(labels.includes(name), `"${name}" is not a known check`);
      const places = named.map((name) => labels.indexOf(name));
      assert.deepEqual(
        places,
        places.toSorted((a, b) => a - b),
      );
    },
    30_000,
  ],
  'health.nodes': [
    'the nodes in the request are the ones that are checked',
    async ({ admin, node }) => {
      const request = {
        waitTimeout: waitTimeout(3),
        clusterInfo: { controlPlaneNodes: [node], workerNodes: [] },
      };
      const [first] = await take(admin.stream(cluster.healthCheck, request), 1);
      assert.equal(first?.message, `discovered nodes: ["${node}"]`);
    },
  ],
  'health.changes': [
    'a line is sent only if it differs from the previous one',
    async (subject) => {
      const { lines } = await told(subject, 5);
      assert.ok(lines.length >= 2, `${lines.length} lines`);
      assert.ok(lines.every((line, index) => line !== lines[index - 1]));
    },
    30_000,
  ],
  'health.done': [
    'when the call ends with OK, every check has ended once, with OK or SKIP',
    async (subject) => {
      const { lines, failure } = await told(subject, 10);
      if (failure !== undefined)
        throw new Skip(`the cluster is not healthy: ${failure.message}; last: ${lines.at(-1)}`);
      const waits = waitsOf(lines);
      const done = waits.filter(({ state }) => state === 'OK' || state === 'SKIP').map(({ name }) => name);
      assert.deepEqual(done, [...new Set(waits.map(({ name }) => name))]);
      assert.ok(done.length > 0, 'no check ended');
    },
    30_000,
  ],
  'health.timeout': [
    'a check of nodes that do not exist ends after wait_timeout with DEADLINE_EXCEEDED',
    async ({ admin }) => {
      const start = performance.now();
      const call = collect(
        admin.stream(cluster.healthCheck, {
          waitTimeout: waitTimeout(2),
          clusterInfo: { controlPlaneNodes: ['192.0.2.1'], workerNodes: [] },
        }),
      );
      await expectFailure(call, codes.deadlineExceeded);
      assert.ok(performance.now() - start < 10_000, 'the call took longer than 10 s');
    },
    30_000,
  ],
  'health.worker': [
    'a worker does not implement the health check: UNIMPLEMENTED',
    async ({ admin, worker }) => {
      if (worker === undefined) throw new Skip('no worker is known');
      const call = collect(
        admin.with({ node: worker }).stream(cluster.healthCheck, { waitTimeout: waitTimeout(2) }),
      );
      await expectFailure(call, codes.unimplemented, /is only available on control plane nodes$/);
    },
  ],
});
