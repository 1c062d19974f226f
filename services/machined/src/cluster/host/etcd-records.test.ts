import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { etcdIdText } from '@nodewright/etcd';
import { skipWithoutEtcd, startEtcdCluster, type TestCluster } from '@nodewright/etcd/testing';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { controlPlanePrefix } from '../../base/domain/control-plane-key.ts';
import { recordPrefix } from '../domain/node-record.ts';
import { controlPlaneRecord, nodeRecord } from '../domain/testing/node-record.ts';
import { followEtcd } from './etcd-link.ts';
import { etcdRecords } from './etcd-records.ts';
import { NodeRegistry } from './node-registry.ts';
import { openEtcdRecords } from './open-etcd-records.ts';
import { checkRecordStore } from './testing/check-record-store.ts';
import { until } from './testing/until.ts';

const skip = skipWithoutEtcd();
const options = { skip, timeout: 120_000 };
const silent = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });
const never = new AbortController().signal;

let cluster: TestCluster;
before(async () => {
  if (skip === false) cluster = await startEtcdCluster(3);
});
after(() => cluster?.[Symbol.asyncDispose]());

const plan = () => ({ kind: 'etcd' as const, endpoints: cluster.endpoints, tls: cluster.pki.admin });
const open = () => openEtcdRecords(plan(), { log: silent, telemetry: noTelemetry, signal: never });

checkRecordStore(
  'etcdRecords()',
  async () => {
    await cluster.client().deletePrefix(recordPrefix);
    await cluster.client().deletePrefix(controlPlanePrefix);
    return open;
  },
  async () => etcdIdText((await cluster.client().members())[0]?.id ?? 0n),
  skip,
);

test('etcdRecords() skips values that are not records and logs a warning', options, async () => {
  const client = cluster.client();
  await client.deletePrefix(recordPrefix);
  await client.put(`${recordPrefix}id7`, 'nothing');
  await client.put(`${recordPrefix}id8`, '{"nodeId":"id9"}');
  const lines: { readonly msg: string; readonly error: string }[] = [];
  const log = createLogger({
    name: 'test',
    telemetry: noTelemetry,
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  await using store = etcdRecords(cluster.client(), log);
  const lease = await store.write(nodeRecord(2), 60);
  const first = await store.follow(never)[Symbol.asyncIterator]().next();
  assert.deepEqual([...(first.value ?? [])], [['id2', { record: nodeRecord(2), leaseId: lease }]]);
  assert.deepEqual(
    lines.map(({ msg, error }) => [msg, error]),
    [
      ['node record ignored', `the value of "${recordPrefix}id7" is not a node record: invalid JSON`],
      ['node record ignored', `the value of "${recordPrefix}id8" is a record of node "id9"`],
    ],
  );
});

test(
  'removeFormerControlPlanes() deletes only the keys of members that etcd does not have',
  options,
  async () => {
    const client = cluster.client();
    await client.deletePrefix(controlPlanePrefix);
    const ids = (await client.members()).map(({ id }) => etcdIdText(id));
    const all = [...ids, '00000000000004d2'];
    for (const id of all) await client.put(controlPlanePrefix + id, '{}');
    await using store = await open();
    assert.deepEqual(await store.removeFormerControlPlanes(all), ['00000000000004d2']);
    const { keyValues } = await client.list(controlPlanePrefix);
    assert.deepEqual(
      keyValues.map(({ key }) => key.slice(controlPlanePrefix.length)),
      ids.sort(),
    );
  },
);

test('openEtcdRecords() fails with the endpoints when no etcd listens there', options, async () => {
  const endpoints = ['127.127.127.1:1', '127.127.127.2:1'];
  const opening = openEtcdRecords(
    { ...plan(), endpoints },
    { log: silent, telemetry: noTelemetry, signal: never },
  );
  await assert.rejects(opening, {
    kind: 'unavailable',
    message: 'no etcd at 127.127.127.1:1, 127.127.127.2:1: connect ECONNREFUSED 127.127.127.1:1',
  });
});

test(
  'when two of three members stop and return, the list stays, no record is lost and the nodes see changes again',
  options,
  async () => {
    await cluster.client().deletePrefix(recordPrefix);
    const timing = { leaseSeconds: 3, firstRetryMs: 50 };
    await using scope = new AsyncDisposableStack();
    const start = (number: number) => {
      const registry = new NodeRegistry();
      registry.setOwn(controlPlaneRecord(number));
      const stop = new AbortController();
      const messages: string[] = [];
      const log = createLogger({
        name: 'test',
        telemetry: noTelemetry,
        destination: { write: (line) => void messages.push(JSON.parse(line).msg) },
      });
      let attempts = 0;
      const openStore = (signal: AbortSignal) => {
        attempts += 1;
        return openEtcdRecords(plan(), { log, telemetry: noTelemetry, signal });
      };
      const ended = followEtcd(
        { registry, openStore, timing, random: Math.random, log, telemetry: noTelemetry },
        stop.signal,
      );
      const stopIt = async () => {
        stop.abort();
        await ended;
      };
      scope.defer(stopIt);
      const isLinked = () => messages.at(-1) === 'connected to the records of the cluster';
      const names = () =>
        String(
          registry
            .nodes()
            ?.map(({ hostname }) => hostname)
            .sort(),
        );
      return { registry, isLinked, names, attempts: () => attempts, stop: stopIt };
    };
    const [one, two] = [start(1), start(2)];
    await until('both nodes', () =>
      [one, two].every((node) => node.names() === 'node1,node2' && node.isLinked()),
    );
    const stopped = cluster.members.slice(1);
    await Promise.all(stopped.map((member) => member.stop('SIGKILL')));
    await until('the loss', () => [one, two].every((node) => !node.isLinked()));
    assert.deepEqual([one.names(), two.names()], ['node1,node2', 'node1,node2']);
    const third = start(3);
    await until('an attempt', () => third.attempts() > 0);
    await third.stop();
    for (const member of stopped) member.start();
    await until('the return', () => [one, two].every((node) => node.isLinked()));
    one.registry.setOwn(controlPlaneRecord(1, { hostname: 'alpha' }));
    await until('the new name', () => two.names() === 'alpha,node2');
  },
);
