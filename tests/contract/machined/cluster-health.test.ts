// ClusterService/HealthCheck, on nodes with their real apid and trustd.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  ClusterServiceDefinition,
  type HealthCheckRequest,
} from '@nodewright/contract/gen/cluster/cluster.ts';
import { clusterSecrets } from './harness/cluster-material.ts';
import { type NodeUnderTest, ownAddress, startNode } from './harness/node-under-test.ts';

const bundles = join(import.meta.dirname, '..', '..', '..', '_out', 'dist');
const skip = existsSync(join(bundles, 'apid', 'apid.cjs')) ? false : 'the bundles are missing: make build';

/** The lines of a check until it ends. */
async function linesOf(
  node: NodeUnderTest,
  request: { waitTimeout?: { seconds: bigint }; clusterInfo?: Partial<HealthCheckRequest['clusterInfo']> },
  ...roles: string[]
): Promise<string[]> {
  const lines: string[] = [];
  const client = node.client(ClusterServiceDefinition, ...(roles.length > 0 ? roles : ['os:reader']));
  for await (const { message, metadata } of client.healthCheck(request as HealthCheckRequest)) {
    assert.equal(metadata, undefined);
    lines.push(message);
  }
  return lines;
}

describe('health of a cluster', { skip }, () => {
  const scope = new AsyncDisposableStack();
  const [first, second] = [ownAddress(), ownAddress()];
  let controlPlane: NodeUnderTest;
  let worker: NodeUnderTest;
  before(async () => {
    const secrets = await clusterSecrets();
    const members = {
      members: [
        { hostname: 'node01', addresses: [first], machineType: 'MACHINE_TYPE_CONTROL_PLANE' },
        { hostname: 'node02', addresses: [second], machineType: 'MACHINE_TYPE_WORKER' },
      ],
    };
    const common = { secrets, members, servicesFolder: bundles, controlPlaneAddress: first };
    controlPlane = scope.use(await startNode({ ...common, address: first }));
    worker = scope.use(await startNode({ ...common, address: second, type: 'worker' }));
    await Promise.all(
      [controlPlane, worker].map((node) => node.serviceSays('apid', /^Health check successful$/, 120_000)),
    );
  });
  after(() => scope.disposeAsync());

  test('every check is reported in order with its result, and skipped ones with the reason', async () => {
    const lines = await linesOf(controlPlane, { waitTimeout: { seconds: 40n } });
    assert.equal(lines[0], `discovered nodes: ["${first}" "${second}"]`);
    const states = lines.filter((line) => line.startsWith('waiting for ') && !line.endsWith(': ...'));
    const last = new Map(
      states.map((line) => line.slice('waiting for '.length).split(': ', 2) as [string, string]),
    );
    assert.deepEqual(
      [...last],
      [
        ['etcd to be healthy', 'SKIP'],
        ['etcd members to be consistent across nodes', 'SKIP'],
        ['etcd members to be control plane nodes', 'SKIP'],
        ['etcd to have no alarms', 'SKIP'],
        ['apid to be ready', 'OK'],
        ['all nodes memory sizes', 'OK'],
        ['all nodes disk sizes', 'OK'],
        ['no diagnostics', 'OK'],
        ['kubelet to be healthy', 'SKIP'],
        ['all nodes to finish boot sequence', 'OK'],
        ['all k8s nodes to report', 'SKIP'],
        ['all control plane static pods to be running', 'SKIP'],
        ['all control plane components to be ready', 'SKIP'],
        ['all k8s nodes to report ready', 'SKIP'],
        ['kube-proxy to report ready', 'SKIP'],
        ['coredns to report ready', 'SKIP'],
        ['all k8s nodes to report schedulable', 'SKIP'],
      ],
    );
    const words = lines.filter((line) => line.startsWith('skipped, because '));
    assert.deepEqual(
      words.map((line) => line.split(': ')[0]),
      [
        'skipped, because no control plane has the service etcd',
        'skipped, because no control plane has the service kubelet',
        'skipped, because no control plane runs a kubelet',
        'skipped, because this kind of node runs no static pods',
      ],
    );
  });

  test('a missing node is reported, and the check ends at its timeout', async () => {
    const lines: string[] = [];
    const lost = ownAddress();
    const request = {
      waitTimeout: { seconds: 7n },
      clusterInfo: { controlPlaneNodes: [first], workerNodes: [lost] },
    };
    const startedMs = performance.now();
    await assert.rejects(
      async () => {
        const client = controlPlane.client(ClusterServiceDefinition, 'os:reader');
        for await (const { message } of client.healthCheck(request)) lines.push(message);
      },
      { code: 4, details: /^the cluster is not healthy after 7s of waiting for apid to be ready: .*127\./ },
    );
    const tookMs = performance.now() - startedMs;
    assert.ok(tookMs > 6500, `${tookMs} ms`);
    assert.equal(lines[0], `discovered nodes: ["${first}" "${lost}"]`);
    assert.ok(lines.some((line) => line.startsWith('waiting for apid to be ready: ') && line.includes(lost)));
  });

  test('a check without time ends at once, and a check of an absent node names what is missing', async () => {
    await assert.rejects(linesOf(controlPlane, { waitTimeout: { seconds: 0n } }), { code: 4 });
    await assert.rejects(linesOf(controlPlane, { waitTimeout: { seconds: -1n } }), { code: 3 });
    const clusterInfo = { controlPlaneNodes: [], workerNodes: [second] };
    await assert.rejects(linesOf(controlPlane, { clusterInfo }), {
      code: 9,
      details: 'the cluster has no control plane node',
    });
  });

  test('only an administrator has the node connect to an endpoint outside the cluster', async () => {
    const clusterInfo = {
      controlPlaneNodes: [first],
      workerNodes: [],
      forceEndpoint: `https://${second}:50000`,
    };
    for (const role of ['os:reader', 'os:operator'])
      await assert.rejects(linesOf(controlPlane, { clusterInfo }, role), {
        code: 7,
        details: /only os:admin may name another one$/,
      });
    await assert.rejects(linesOf(controlPlane, { waitTimeout: { seconds: 0n }, clusterInfo }, 'os:admin'), {
      code: 4,
    });
  });

  test('a worker checks nothing, and a caller without a role is refused', async () => {
    await assert.rejects(linesOf(worker, {}), {
      code: 12,
      details: /only available on control plane nodes$/,
    });
    await assert.rejects(linesOf(controlPlane, {}, 'os:etcd:backup'), { code: 7 });
  });

  test('a node that stops during a check reports that, and not a cancel by the caller', async () => {
    const clusterInfo = { controlPlaneNodes: [first], workerNodes: [ownAddress()] };
    const client = controlPlane.client(ClusterServiceDefinition, 'os:reader');
    await assert.rejects(
      async () => {
        for await (const { message } of client.healthCheck({ waitTimeout: { seconds: 60n }, clusterInfo })) {
          if (message.startsWith('discovered')) controlPlane.machined.signal('SIGTERM');
        }
      },
      { code: 14, details: 'this node stops before the check has finished: ask another control plane' },
    );
  });
});
