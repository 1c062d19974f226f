// How the nodes of a cluster with etcd know each other: which members exist, what they are called, which are
// gone.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { TalosClient } from '@nodewright/client';
import { skipWithoutEtcd } from '@nodewright/etcd/testing';
import { readProcesses } from '@nodewright/linux';
import { codecsOf } from '@nodewright/state';
import { members, nodeKinds } from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import {
  eventually,
  type OtlpReceiver,
  type ReceivedSpan,
  type SpanNode,
  spanTree,
  startOtlpReceiver,
} from '@nodewright/testkit';
import type { Node } from '../cluster.ts';
import { hostnamePatch } from '../hostname-patch.ts';
import { openProcessCluster, type ProcessCluster, type ProcessNode } from './process-cluster.ts';

/** A node that is gone stops being a member after this time, in ms, plus a reserve for the test machine. */
const leaseMs = 15_000;
const slackMs = 60_000;

describe('the members of a cluster with etcd', { skip: skipWithoutEtcd() }, () => {
  const scope = new AsyncDisposableStack();
  const codecs = codecsOf(nodeKinds);
  let receiver: OtlpReceiver;
  let cluster: ProcessCluster;
  let client: TalosClient;
  let nodes: readonly [ProcessNode, ProcessNode, ProcessNode, ProcessNode, ProcessNode];
  before(async () => {
    receiver = scope.use(await startOtlpReceiver());
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint };
    cluster = scope.use(
      await openProcessCluster({ controlPlanes: 3, workers: 2 }, { environment, etcd: true }),
    );
    nodes = cluster.nodes as unknown as typeof nodes;
    client = scope.use(await cluster.client({ endpoints: [nodes[0].address] }));
  });
  after(() => scope.disposeAsync());

  /** The names of the members that have a record, as one node knows them. */
  async function namesAt(node: Node): Promise<string> {
    const state = createStateClient({ client: client.node(node.address).state, codecs });
    const told = (await state.list(members)).filter(({ spec }) => spec.nodeId !== '');
    return String(told.map(({ metadata }) => metadata.id).sort());
  }

  const know = (who: readonly Node[], names: string, timeoutMs = leaseMs + slackMs) =>
    eventually(async () => (await Promise.all(who.map(namesAt))).every((told) => told === names), {
      what: `${names} as members at ${who.map(({ name }) => name)}`,
      timeoutMs,
    });

  test('every node knows the record of every member, including workers', async () => {
    await know(nodes, 'node01,node02,node03,node04,node05');
    const { stdout } = await cluster.talosctl('-n', nodes[3].address, 'get', 'members');
    const rows = stdout
      .trim()
      .split('\n')
      .slice(1)
      .map((row) => row.trim().split(/ {2,}/).slice(3));
    assert.deepEqual(
      rows.map(([id, _version, ...rest]) => [id, ...rest]),
      cluster.nodes.map(({ name, type, address }) => [
        name,
        name,
        type,
        'Talos (v1.14.0)',
        JSON.stringify([address]),
      ]),
    );
    const raw = await cluster.talosctl(
      '-n',
      nodes[3].address,
      'get',
      'affiliates',
      '--namespace',
      'cluster-raw',
    );
    assert.equal(raw.stdout.match(/ etcd\/[0-9A-Za-z]{20,} /g)?.length, 4, raw.stdout);
  });

  test('a renamed node is known by its new name everywhere, and by the old one nowhere', async () => {
    const [, second, third, worker] = nodes;
    for (const [node, name] of [
      [second, 'alpha'],
      [worker, 'beta'],
    ] as const) {
      const patched = await cluster.talosctl('-n', node.name, 'patch', 'mc', '-p', hostnamePatch(name));
      assert.equal(patched.exitCode, 0, patched.stderr);
    }
    await know(nodes, 'alpha,beta,node01,node03,node05');
    for (const name of ['alpha', 'beta']) {
      await eventually(
        async () =>
          (await cluster.talosctl('-e', third.address, '-n', name, 'version')).stdout.includes(
            `NODE:        ${name}`,
          ),
        { what: `version of ${name} through another node` },
      );
    }
    const old = await cluster.talosctl('-e', third.address, '-n', 'node02', 'version');
    assert.notEqual(old.exitCode, 0);
    assert.match(old.stderr, /it is not a member of this cluster/);
  });

  test("a worker's new record is one trace up to etcd, and heartbeats make no traces", async () => {
    const report = 'suite.membership.v1.MembershipService/Report';
    const written = [
      { span: 'machined: etcd KV/Put (client)', children: [] },
      { span: 'machined: etcd Lease/LeaseGrant (client)', children: [] },
    ];
    const wanted = [
      'machined: report node record (internal)',
      `machined: ${report} (client)`,
      `trustd: ${report} (server)`,
      `trustd: ${report} (client)`,
      `machined: ${report} (server)`,
    ].reduceRight<SpanNode[]>((children, span) => [{ span, children }], written);
    const treesOf = (spans: readonly ReceivedSpan[]) => {
      const ids = new Set(
        spans.filter(({ name }) => name === 'report node record').map(({ traceId }) => traceId),
      );
      return [...ids].map((id) => spanTree(spans, id));
    };
    const isWanted = (tree: SpanNode[]) => JSON.stringify(tree) === JSON.stringify(wanted);
    // The worker's new name, from the previous test.
    await receiver.waitFor((spans) => treesOf(spans).some(isWanted));
    const kept = receiver.spans().filter(({ name }) => name === 'etcd Lease/LeaseKeepAlive');
    assert.deepEqual(kept, []);
  });

  test('nodes that stop are removed after their lease, and are members again as soon as they are back', async () => {
    const [first, second, third, worker, other] = nodes;
    await know(nodes, 'alpha,beta,node01,node03,node05');
    const gone = [third, other];
    for (const node of gone) await node.signal('machined', 'SIGSTOP');
    const left = [first, second, worker];
    try {
      await know(left, 'alpha,beta,node01', leaseMs + slackMs);
    } finally {
      for (const node of gone) await node.signal('machined', 'SIGCONT');
    }
    await know(nodes, 'alpha,beta,node01,node03,node05', leaseMs + slackMs);
  });

  test('without a quorum of etcd the last list stays, nodes stay idle, and changes are published afterwards', async () => {
    await know(nodes, 'alpha,beta,node01,node03,node05');
    const members = 'alpha,beta,node01,node03,node05';
    const frozen = await Promise.all([nodes[1], nodes[2]].map(etcdOf));
    const machineds = await Promise.all(nodes.map((node) => node.instanceOf('machined')));
    for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    try {
      const before = await processorSeconds(machineds);
      const endMs = performance.now() + leaseMs + 3000;
      while (performance.now() < endMs) {
        assert.deepEqual(await Promise.all(nodes.map(namesAt)), new Array(5).fill(members));
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
      const used = (await processorSeconds(machineds)) - before;
      assert.ok(used < 10, `five nodes used ${used} s of processor time in ${leaseMs + 3000} ms`);
      const patched = await cluster.talosctl(
        ...['-e', nodes[0].address, '-n', nodes[4].address],
        ...['patch', 'mc', '-p', hostnamePatch('gamma')],
      );
      assert.equal(patched.exitCode, 0, patched.stderr);
      await know([nodes[4]], 'alpha,beta,gamma,node01,node03');
    } finally {
      for (const pid of frozen) process.kill(pid, 'SIGCONT');
    }
    await know(nodes, 'alpha,beta,gamma,node01,node03', leaseMs + slackMs);
  });

  async function etcdOf(node: ProcessNode): Promise<number> {
    const machined = await node.instanceOf('machined');
    const found = (await readProcesses({ pageSizeBytes: 4096 })).find(
      ({ parentPid, args }) => parentPid === machined && /\/etcd .*--data-dir=/.test(args),
    );
    assert.ok(found, `no etcd at ${node.name}`);
    return found.pid;
  }

  async function processorSeconds(pids: readonly (number | undefined)[]): Promise<number> {
    const processes = await readProcesses({ pageSizeBytes: 4096 });
    return processes
      .filter(({ pid }) => pids.includes(pid))
      .reduce((sum, { cpuTimeSeconds }) => sum + cpuTimeSeconds, 0);
  }
});
