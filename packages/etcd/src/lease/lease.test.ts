// Leases of a real etcd: their keys live as long as the holder.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@nodewright/testkit';
import type { EtcdFault } from '../etcd-fault.ts';
import { skipWithoutEtcd, startEtcdCluster } from '../testing/index.ts';

const skip = skipWithoutEtcd();
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const cluster = skip ? undefined : scope.use(await startEtcdCluster(3));
const etcd = () => (cluster ?? assert.fail('no etcd')).client();

test('a lease with keep-alive outlives its time, and deletes its keys at its end', {
  skip,
}, async () => {
  const client = etcd();
  const lease = await client.grantLease(2);
  await client.put('kept', 'x', { lease: lease.id });
  assert.ok(lease.leftMs() <= lease.ttlSeconds * 1000, `${lease.leftMs()} ms`);
  await pause(lease.ttlSeconds * 1000 + 1500);
  assert.equal((await client.get('kept'))?.lease, lease.id);
  // Without a renewal it would be negative by now.
  assert.ok(lease.leftMs() > 0, `${lease.leftMs()} ms`);
  assert.equal(lease.signal.aborted, false);
  await lease[Symbol.asyncDispose]();
  assert.equal(lease.signal.aborted, true);
  assert.equal(lease.leftMs(), 0);
  assert.equal(await client.get('kept'), undefined);
  await lease.revoke();
});

test('a lease without keep-alive expires', { skip }, async () => {
  const client = etcd();
  const id = await client.createLease(1);
  await client.put('left', 'x', { lease: id });
  assert.ok((await client.keepLeaseAlive(id)) >= 1);
  await eventually(async () => (await client.get('left')) === undefined, { what: 'end of the lease' });
  assert.equal(await client.keepLeaseAlive(id), 0);
});

test('a lease whose client is closed expires', { skip }, async () => {
  const holder = etcd();
  const lease = await holder.grantLease(2);
  await holder.put('dead', 'x', { lease: lease.id });
  await holder[Symbol.asyncDispose]();
  const watcher = etcd();
  await eventually(async () => (await watcher.get('dead')) === undefined, { what: 'end of the lease' });
});

test('a lease that another client ends is reported as lost', { skip }, async () => {
  const client = etcd();
  const lease = await client.grantLease(3);
  await client.put('lost', 'x', { lease: lease.id });
  await cluster?.etcdctl('lease', 'revoke', lease.id.toString(16));
  await eventually(() => lease.signal.aborted, { what: 'loss of the lease' });
  assert.equal((lease.signal.reason as EtcdFault).reason, 'lease-lost');
  assert.equal(await client.get('lost'), undefined);
});

test('a lease survives the death and the freezing of the member that renewed it', {
  skip,
}, async () => {
  const { members } = cluster ?? assert.fail();
  const client = etcd();
  const lease = await client.grantLease(4);
  await client.put('survives', 'x', { lease: lease.id });
  const [first, second] = members;
  // A frozen member keeps the connection open but sends nothing.
  await first?.freeze();
  await pause(lease.ttlSeconds * 1000 + 1000);
  first?.thaw();
  assert.equal(lease.signal.aborted, false);
  await second?.stop('SIGKILL');
  await pause(lease.ttlSeconds * 1000 + 1000);
  assert.equal(lease.signal.aborted, false);
  assert.equal((await client.get('survives'))?.lease, lease.id);
  second?.start();
  await lease[Symbol.asyncDispose]();
});
