// Elections in a real etcd.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { skipWithoutEtcd, startEtcdCluster } from '@nodewright/etcd/testing';
import { eventually } from '@nodewright/testkit';
import { createEtcdCampaign } from './etcd-campaign.ts';
import type { Tenure } from './virtual-address.ts';

const skip = skipWithoutEtcd();
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const cluster = skip ? undefined : scope.use(await startEtcdCluster());
const etcd = () => (cluster ?? assert.fail('no etcd')).client();
const campaign = (hostname: string) =>
  createEtcdCampaign({ openEtcd: async () => etcd(), hostname: () => hostname });
const never = new AbortController().signal;
const rowOf = async (ip: string) =>
  (await etcd().list(`talos:v1:vip:election:${ip}/`)).keyValues.map(({ value }) =>
    Buffer.from(value).toString(),
  );

test('candidates queue with their host names, and the next one follows when the owner resigns', {
  skip,
}, async () => {
  const ip = '10.0.0.1';
  const first = await campaign('node01')(ip, never);
  assert.ok(first.leftMs() > 0 && first.leftMs() <= 12_000, `${first.leftMs()} ms`);
  let second: Tenure | undefined;
  const following = campaign('node02')(ip, never).then((tenure) => {
    second = tenure;
  });
  await eventually(async () => (await rowOf(ip)).length === 2, { what: 'both candidates' });
  assert.deepEqual([(await rowOf(ip)).toSorted(), second], [['node01', 'node02'], undefined]);
  await first.resign();
  assert.deepEqual([first.signal.aborted, first.leftMs()], [true, 0]);
  await following;
  assert.deepEqual(await rowOf(ip), ['node02']);
  await second?.resign();
  assert.deepEqual(await rowOf(ip), []);
});

test('an owner whose key somebody deletes learns of it', { skip }, async () => {
  const ip = '10.0.0.2';
  const owner = await campaign('node01')(ip, never);
  await etcd().deletePrefix(`talos:v1:vip:election:${ip}/`);
  await eventually(() => owner.signal.aborted, { what: 'the end of the tenure' });
  assert.match(String(owner.signal.reason), /somebody deleted its key/);
  await owner.resign();
});

test('a candidate that stops waiting leaves the queue; one that abandons stays until its lease ends', {
  skip,
}, async () => {
  const ip = '10.0.0.3';
  const owner = await campaign('node01')(ip, never);
  const stop = new AbortController();
  const waiting = campaign('node02')(ip, stop.signal);
  await eventually(async () => (await rowOf(ip)).length === 2, { what: 'both candidates' });
  stop.abort();
  await assert.rejects(waiting, { kind: 'cancelled' });
  assert.deepEqual(await rowOf(ip), ['node01']);
  await owner.abandon();
  assert.equal(owner.signal.aborted, true);
  assert.deepEqual(await rowOf(ip), ['node01']);
});
