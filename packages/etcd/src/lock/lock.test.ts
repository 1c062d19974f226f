// Locks in a real etcd, shared with etcdctl.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { skipWithoutEtcd, startEtcdCluster } from '../testing/index.ts';

const skip = skipWithoutEtcd();
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const cluster = skip ? undefined : scope.use(await startEtcdCluster());
const etcd = () => (cluster ?? assert.fail('no etcd')).client();

test('one client at a time holds a lock, in the order of their requests', { skip }, async () => {
  const order: string[] = [];
  const first = await etcd().lock('turns');
  const waiting = [];
  for (const name of ['second', 'third']) {
    const client = etcd();
    waiting.push(
      client.lock('turns').then(async (lock) => {
        order.push(name);
        await lock[Symbol.asyncDispose]();
      }),
    );
    const row = async () => (await client.list('turns/')).keyValues.length;
    await eventually(async () => (await row()) === waiting.length + 1, { what: `${name} in the row` });
  }
  assert.equal(order.length, 0);
  order.push('first');
  await first[Symbol.asyncDispose]();
  await Promise.all(waiting);
  assert.deepEqual(order, ['first', 'second', 'third']);
  assert.deepEqual((await etcd().list('turns/')).keyValues, []);
});

test('a lock is a key with its name and its lease, and is deleted with the lease', { skip }, async () => {
  const client = etcd();
  const lock = await client.lock('talos:v1:etcdUpgradeMutex', { ttlSeconds: 60 });
  assert.equal(lock.key, `talos:v1:etcdUpgradeMutex/${lock.lease.id.toString(16)}`);
  assert.equal((await client.get(lock.key))?.lease, lock.lease.id);
  await lock.lease.revoke();
  assert.equal(lock.signal.aborted, true);
  assert.equal(await client.get(lock.key), undefined);
});

test('the key of a lock may have a value, which others read', { skip }, async () => {
  await using lock = await etcd().lock('election', { value: 'node01' });
  assert.equal(Buffer.from((await etcd().get(lock.key))?.value ?? '').toString(), 'node01');
});

test('a lock waits for a lock of etcdctl, and etcdctl waits for ours', { skip }, async () => {
  const client = etcd();
  const theirs = cluster?.spawnEtcdctl('lock', 'shared') ?? assert.fail();
  const [line] = await once(theirs.stdout ?? assert.fail(), 'data');
  assert.match(String(line), /^shared\/[0-9a-f]+\n/);
  const giveUp = new AbortController();
  const tried = client.lock('shared', { signal: giveUp.signal });
  await eventually(async () => (await client.list('shared/')).keyValues.length === 2, { what: 'row of two' });
  giveUp.abort();
  await assert.rejects(tried, { kind: 'cancelled' });
  assert.equal((await client.list('shared/')).keyValues.length, 1);

  const next = client.lock('shared');
  theirs.kill('SIGINT');
  const ours = await next;
  const again = cluster?.spawnEtcdctl('lock', 'shared', 'true') ?? assert.fail();
  const ended = once(again, 'exit');
  await eventually(async () => (await client.list('shared/')).keyValues.length === 2, { what: 'their wait' });
  assert.equal(again.exitCode, null);
  await ours[Symbol.asyncDispose]();
  assert.equal((await ended)[0], 0);
});

test('a client whose lease is lost during the wait does not get the lock', { skip }, async () => {
  const client = etcd();
  await using held = await client.lock('lost');
  const waiting = client.lock('lost', { ttlSeconds: 3 });
  const row = async () => (await client.list('lost/')).keyValues;
  await eventually(async () => (await row()).length === 2, { what: 'row of two' });
  const theirs = (await row()).find(({ key }) => key !== held.key);
  await cluster?.etcdctl('lease', 'revoke', theirs?.lease.toString(16) ?? '');
  await assert.rejects(waiting, ({ kind }: { kind: string }) => ['cancelled', 'aborted'].includes(kind));
  assert.deepEqual(
    (await row()).map(({ key }) => key),
    [held.key],
  );
});
