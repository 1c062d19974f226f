import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pause } from '@nodewright/async';
import type { NodeRecord } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { Fault } from '@nodewright/fault';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { controlPlaneRecord, nodeRecord } from '../domain/testing/node-record.ts';
import { followEtcd } from './etcd-link.ts';
import { heartbeatMs } from './link-timing.ts';
import { NodeRegistry } from './node-registry.ts';
import { MemoryRecords } from './testing/memory-records.ts';
import { until } from './testing/until.ts';

const timing = { leaseSeconds: 1, firstRetryMs: 20 };
const options = { timeout: 120_000 };

/** Starts the link of a control plane to the records of a cluster. */
function startNode(cluster: MemoryRecords, own: NodeRecord, times = timing) {
  const registry = new NodeRegistry();
  registry.setOwn(own);
  const stop = new AbortController();
  const lines: { readonly level: string; readonly msg: string; readonly error?: string }[] = [];
  const log = createLogger({
    name: 'test',
    telemetry: noTelemetry,
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  let opened = 0;
  const openStore = async () => {
    opened += 1;
    return cluster.open();
  };
  const init = { registry, openStore, timing: times, random: Math.random, log, telemetry: noTelemetry };
  const ended = followEtcd(init, stop.signal);
  return {
    registry,
    lines,
    opened: () => opened,
    names: () =>
      registry
        .nodes()
        ?.map(({ hostname }) => hostname)
        .sort(),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

type TestNode = ReturnType<typeof startNode>;

const untilListed = (node: TestNode, ...names: string[]) =>
  until(`${names} instead of ${node.names()}`, () => String(node.names()) === String(names));

const never = new AbortController().signal;

test('followEtcd() writes the record once, and then only keeps its lease alive', options, async () => {
  using cluster = new MemoryRecords();
  await using one = startNode(cluster, controlPlaneRecord(1));
  await using two = startNode(cluster, controlPlaneRecord(2));
  await untilListed(one, 'node1', 'node2');
  await untilListed(two, 'node1', 'node2');
  await pause(timing.leaseSeconds * 2500, never);
  assert.deepEqual([one.names(), cluster.writes], [['node1', 'node2'], 2]);
  assert.deepEqual(
    one.lines.map(({ msg }) => msg),
    ['connected to the records of the cluster'],
  );
});

test('followEtcd() publishes a changed record of this node at once', options, async () => {
  using cluster = new MemoryRecords();
  // The next heartbeat comes after minutes.
  const patient = { leaseSeconds: 600, firstRetryMs: 20 };
  await using one = startNode(cluster, controlPlaneRecord(1), patient);
  await using two = startNode(cluster, controlPlaneRecord(2), patient);
  await untilListed(two, 'node1', 'node2');
  one.registry.setOwn(controlPlaneRecord(1, { hostname: 'alpha' }));
  await untilListed(two, 'alpha', 'node2');
  one.registry.setOwn(undefined);
  await untilListed(two, 'node2');
});

test(
  'a stopped node is removed when its lease expires, and is listed again as soon as it is back',
  options,
  async () => {
    using cluster = new MemoryRecords();
    await using one = startNode(cluster, controlPlaneRecord(1));
    {
      await using _two = startNode(cluster, controlPlaneRecord(2));
      await untilListed(one, 'node1', 'node2');
    }
    // Its lease goes on.
    assert.deepEqual(one.names(), ['node1', 'node2']);
    await untilListed(one, 'node1');
    await using _back = startNode(cluster, controlPlaneRecord(2));
    await untilListed(one, 'node1', 'node2');
  },
);

test('a control plane that restarts stays in the list all the time', options, async () => {
  using cluster = new MemoryRecords();
  await using one = startNode(cluster, controlPlaneRecord(1));
  await untilListed(one, 'node1');
  const seen: string[] = [];
  const stop = new AbortController();
  const watching = (async () => {
    while (!stop.signal.aborted) {
      await one.registry.nextChange(stop.signal);
      seen.push(String(one.names()));
    }
  })();
  for (let start = 0; start < 2; start += 1) {
    await using two = startNode(cluster, controlPlaneRecord(2));
    await untilListed(two, 'node1', 'node2');
  }
  stop.abort();
  await watching;
  assert.deepEqual(new Set(seen), new Set(['node1,node2']));
  assert.equal(cluster.writes, 2);
});

test(
  'without a quorum the last list stays and retries are few, and the link recovers with the quorum',
  options,
  async () => {
    using cluster = new MemoryRecords();
    await using one = startNode(cluster, controlPlaneRecord(1));
    await using two = startNode(cluster, controlPlaneRecord(2));
    await untilListed(one, 'node1', 'node2');
    await untilListed(two, 'node1', 'node2');
    const [openedBefore, startMs] = [one.opened(), performance.now()];
    cluster.hasQuorum = false;
    await until('the failure', () => one.lines.length === 2);
    await pause(timing.leaseSeconds * 3000, never);
    assert.deepEqual(
      [one.names(), two.names()],
      [
        ['node1', 'node2'],
        ['node1', 'node2'],
      ],
    );
    await assert.rejects(one.registry.report(reportOf(nodeRecord(5)), never), { kind: 'unavailable' });
    // The pauses are 20, 40, 80, 160, 320, 333, 333, ... ms, each up to a half shorter.
    const attempts = () => one.opened() - openedBefore;
    const most = 7 + (performance.now() - startMs) / (heartbeatMs(timing) / 2);
    assert.ok(attempts() <= most, `${attempts()} attempts`);
    await until('five attempts', () => attempts() >= 5);
    cluster.hasQuorum = true;
    await until('the link', () => one.lines.length === 3);
    assert.deepEqual(
      one.lines.map(({ level, msg, error }) => [level, msg, error]),
      [
        ['info', 'connected to the records of the cluster', undefined],
        ['warn', 'not connected to the records of the cluster', 'etcd has no quorum'],
        ['info', 'connected to the records of the cluster', undefined],
      ],
    );
    assert.deepEqual(one.names(), ['node1', 'node2']);
  },
);

const reportOf = (node: NodeRecord, callerAddress = '127.0.0.1') => ({
  node,
  callerAddress,
  knownVersion: '',
  isLeaving: false,
});

test('the record of a node lives while the node reports, to whichever control plane', options, async () => {
  using cluster = new MemoryRecords();
  await using one = startNode(cluster, controlPlaneRecord(1));
  await using two = startNode(cluster, controlPlaneRecord(2));
  await untilListed(one, 'node1', 'node2');
  await untilListed(two, 'node1', 'node2');
  const worker = reportOf(nodeRecord(5));
  await one.registry.report(worker, never);
  assert.deepEqual(one.names(), ['node1', 'node2', 'node5']);
  await untilListed(two, 'node1', 'node2', 'node5');
  for (let round = 0; round < 6; round += 1) {
    await pause(timing.leaseSeconds * 300, never);
    await (round % 2 === 0 ? two : one).registry.report(worker, never);
  }
  assert.deepEqual([one.names(), cluster.writes], [['node1', 'node2', 'node5'], 3]);
  await one.registry.report(reportOf(nodeRecord(5, { hostname: 'beta' })), never);
  await untilListed(two, 'beta', 'node1', 'node2');
  await untilListed(two, 'node1', 'node2');
});

test('a node that reports that it leaves is removed at once', options, async () => {
  using cluster = new MemoryRecords();
  await using one = startNode(cluster, controlPlaneRecord(1));
  await until('the link', () => one.lines.length === 1);
  await one.registry.report(reportOf(nodeRecord(5)), never);
  assert.deepEqual(one.names(), ['node1', 'node5']);
  const foreign = { ...reportOf(nodeRecord(5), '10.0.0.1'), isLeaving: true };
  await assert.rejects(one.registry.report(foreign, never), { kind: 'permission-denied' });
  assert.deepEqual(one.names(), ['node1', 'node5']);
  await one.registry.report({ ...reportOf(nodeRecord(5)), isLeaving: true }, never);
  assert.deepEqual(one.names(), ['node1']);
});

test(
  'a control plane removes its record when it leaves, even if it lost etcd for a while',
  options,
  async () => {
    // The lease is longer than the test, so no record expires.
    using cluster = new MemoryRecords();
    await using two = startNode(cluster, controlPlaneRecord(2), { leaseSeconds: 600, firstRetryMs: 20 });
    await using one = startNode(cluster, controlPlaneRecord(1), { leaseSeconds: 600, firstRetryMs: 20 });
    await untilListed(two, 'node1', 'node2');
    await until('the link', () => one.lines.length === 1);
    cluster.hasQuorum = false;
    one.registry.setOwn(undefined);
    await until('the failure', () => one.lines.length === 2);
    cluster.hasQuorum = true;
    await untilListed(two, 'node2');
  },
);

test('a rejected report changes nothing', options, async () => {
  using cluster = new MemoryRecords();
  await using one = startNode(cluster, controlPlaneRecord(1));
  await untilListed(one, 'node1');
  await until('the link', () => one.lines.length === 1);
  const refused = [
    [reportOf(nodeRecord(1)), 'permission-denied'],
    [reportOf(controlPlaneRecord(5)), 'permission-denied'],
    [reportOf(nodeRecord(5), '10.0.0.1'), 'permission-denied'],
    [reportOf(nodeRecord(5, { hostname: '' })), 'invalid-argument'],
  ] as const;
  for (const [report, kind] of refused) await assert.rejects(one.registry.report(report, never), { kind });
  assert.deepEqual([one.names(), cluster.writes], [['node1'], 1]);
});

test(
  'followEtcd() retries until etcd is available, logs the failure once, and rejects reports',
  options,
  async () => {
    const registry = new NodeRegistry();
    const stop = new AbortController();
    const lines: string[] = [];
    const log = createLogger({
      name: 'test',
      telemetry: noTelemetry,
      destination: { write: (line) => void lines.push(JSON.parse(line).level) },
    });
    let attempts = 0;
    const openStore = async () => {
      attempts += 1;
      throw new Fault('unavailable', 'no etcd');
    };
    const ended = followEtcd(
      { registry, openStore, timing, random: () => 0, log, telemetry: noTelemetry },
      stop.signal,
    );
    await until('a few attempts', () => attempts === 4);
    assert.deepEqual([lines, registry.nodes()], [['info'], undefined]);
    await assert.rejects(registry.report(reportOf(nodeRecord(5)), never), {
      kind: 'unavailable',
      message: 'this control plane has no connection to etcd and cannot keep node records',
    });
    stop.abort();
    await ended;
  },
);

const keptOf = ({ registry }: TestNode) =>
  registry
    .controlPlanes()
    .map(({ record, memberId }) => `${memberId} ${record.hostname}`)
    .sort()
    .join();
const untilKept = (node: TestNode, kept: string) => until(`"${kept}" is kept`, () => keptOf(node) === kept);
const member = (memberId: string | undefined, leaving?: string) => ({ memberId, leaving });

test(
  'a control plane that dies keeps its name and addresses, and is no longer among the live nodes',
  options,
  async () => {
    using cluster = new MemoryRecords();
    await using one = startNode(cluster, controlPlaneRecord(1));
    cluster.members.add('a2');
    {
      await using two = startNode(cluster, controlPlaneRecord(2));
      two.registry.setMember(member('a2'));
      await untilKept(one, 'a2 node2');
      // Its etcd stops before it does.
      two.registry.setMember(member(undefined));
    }
    await untilListed(one, 'node1');
    assert.equal(keptOf(one), 'a2 node2');
    const claims = nodeRecord(5, { hostname: 'node2', nodename: 'node2' });
    await assert.rejects(one.registry.report(reportOf(claims), never), {
      kind: 'permission-denied',
      message: /^"node2" belongs to control plane "node2", .*"talosctl etcd remove-member a2" frees/,
    });
    // Without a quorum the last list counts.
    cluster.hasQuorum = false;
    await until('the failure', () => one.lines.length === 2);
    assert.equal(keptOf(one), 'a2 node2');
    cluster.hasQuorum = true;
    await using other = cluster.open();
    await other.removeControlPlane('a2');
    await untilKept(one, '');
    await until('the link', () => one.lines.length === 3);
    await one.registry.report(reportOf(claims), never);
    assert.deepEqual(one.names(), ['node1', 'node2']);
  },
);

test(
  'a control plane keeps what it is called now, under its current member, and nothing once it left etcd',
  options,
  async () => {
    using cluster = new MemoryRecords();
    for (const id of ['a1', 'b1']) cluster.members.add(id);
    await using one = startNode(cluster, controlPlaneRecord(1));
    one.registry.setMember(member('a1'));
    await untilKept(one, 'a1 node1');
    one.registry.setOwn(controlPlaneRecord(1, { hostname: 'alpha' }));
    await untilKept(one, 'a1 alpha');
    one.registry.setMember(member('b1'));
    await untilKept(one, 'b1 alpha');
    cluster.members.delete('b1');
    await using other = cluster.open();
    await other.removeControlPlane('b1');
    await untilKept(one, '');
    one.registry.setOwn(controlPlaneRecord(1, { hostname: 'beta' }));
    await untilListed(one, 'beta');
    await pause(timing.leaseSeconds * 700, never);
    assert.equal(keptOf(one), '');
  },
);

test(
  'a control plane that connects frees the names of those of which etcd has no member any more',
  options,
  async () => {
    using cluster = new MemoryRecords();
    for (const id of ['a1', 'a2', 'a3']) cluster.members.add(id);
    {
      await using other = cluster.open();
      for (const number of [2, 3])
        await other.keepControlPlane({ record: controlPlaneRecord(number), memberId: `a${number}` });
    }
    // A removal that failed before it deleted the key, or a snapshot of another cluster.
    cluster.members.delete('a3');
    await using one = startNode(cluster, controlPlaneRecord(1));
    one.registry.setMember(member('a1'));
    await untilKept(one, 'a1 node1,a2 node2');
    await one.registry.report(reportOf(nodeRecord(3, { hostname: 'node3', nodename: 'node3' })), never);
    assert.deepEqual(
      one.lines.map(({ msg }) => msg),
      ['connected to the records of the cluster', 'freed the names of control planes that left etcd'],
    );
  },
);

test(
  'a control plane that is reset frees its names, and one whose record is late does not',
  options,
  async () => {
    using cluster = new MemoryRecords();
    for (const id of ['a1', 'a2']) cluster.members.add(id);
    await using one = startNode(cluster, controlPlaneRecord(1));
    await using two = startNode(cluster, controlPlaneRecord(2));
    one.registry.setMember(member('a1'));
    two.registry.setMember(member('a2'));
    await untilKept(one, 'a1 node1,a2 node2');
    two.registry.setOwn(undefined);
    await untilListed(one, 'node1');
    assert.equal(keptOf(one), 'a1 node1,a2 node2');
    two.registry.setMember(member(undefined, 'id2'));
    await untilKept(one, 'a1 node1');
  },
);
