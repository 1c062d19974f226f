// Tests keys on a real etcd, together with another client library.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Etcd3 } from 'etcd3';
import type { EtcdFault } from '../etcd-fault.ts';
import { skipWithoutEtcd, startEtcdCluster } from '../testing/index.ts';

const skip = skipWithoutEtcd();
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const cluster = skip ? undefined : scope.use(await startEtcdCluster());
const etcd = () => {
  if (cluster === undefined) throw new Error('no etcd');
  return cluster.client();
};
const text = (value: Uint8Array | undefined) => value && Buffer.from(value).toString();

test('a key holds the last value, and counts its writes', { skip }, async () => {
  const client = etcd();
  assert.equal(await client.get('one'), undefined);
  const first = await client.put('one', 'a');
  const second = await client.put('one', Buffer.from([0, 255]));
  assert.equal(second, first + 1n);
  assert.deepEqual(await client.get('one'), {
    key: 'one',
    value: Buffer.from([0, 255]),
    createRevision: first,
    modRevision: second,
    version: 2n,
    lease: 0n,
  });
  assert.equal(await client.delete('one'), 1n);
  assert.equal(await client.delete('one'), 0n);
  assert.equal(await client.get('one', { serializable: true }), undefined);
});

test('list() returns the keys with a prefix in order, and deletePrefix() deletes them', {
  skip,
}, async () => {
  const client = etcd();
  for (const key of ['p/b', 'p/a', 'q/a', 'p']) await client.put(key, key);
  const { keyValues } = await client.list('p/');
  assert.deepEqual(
    keyValues.map(({ key, value }) => [key, text(value)]),
    [
      ['p/a', 'p/a'],
      ['p/b', 'p/b'],
    ],
  );
  assert.equal(await client.deletePrefix('p/'), 2n);
  const rest = (await client.list('')).keyValues.map(({ key }) => key);
  assert.deepEqual(rest, ['p', 'q/a']);
});

test('txn() selects its operations with every kind of comparison', { skip }, async () => {
  const client = etcd();
  const revision = await client.put('t', '5');
  const held = [
    { key: 't', value: '5' },
    { key: 't', is: '>', value: '4' },
    { key: 't', modRevision: revision },
    { key: 't', is: '<', createRevision: revision + 1n },
    { key: 't', version: 1n },
    { key: 't', is: '!=', lease: 1n },
    { key: 'nobody', createRevision: 0n },
  ] as const;
  for (const comparison of held) {
    const { succeeded } = await client.txn({ compare: [comparison], success: [] });
    assert.equal(succeeded, true, JSON.stringify(Object.keys(comparison)));
  }
  const failed = await client.txn({
    compare: [...held, { key: 't', value: '6' }],
    success: [{ kind: 'put', key: 't', value: 'wrong' }],
    failure: [
      { kind: 'get', key: 't' },
      { kind: 'put', key: 'u', value: 'x' },
      { kind: 'list', prefix: 't' },
      { kind: 'delete', key: 'nobody' },
      { kind: 'delete-prefix', prefix: 't' },
      { kind: 'get', key: 't' },
    ],
  });
  assert.equal(failed.succeeded, false);
  assert.deepEqual(
    failed.results.map(({ keyValues, deleted }) => [keyValues.map(({ key }) => key), deleted]),
    [
      [['t'], 0n],
      [[], 0n],
      [['t'], 0n],
      [[], 0n],
      [[], 1n],
      [[], 0n],
    ],
  );
});

test('each of two clients reads what the other has written', { skip }, async () => {
  const { pki, endpoints } = cluster ?? assert.fail();
  const other = new Etcd3({
    hosts: endpoints.map((endpoint) => `https://${endpoint}`),
    credentials: {
      rootCertificate: Buffer.from(pki.admin.ca),
      privateKey: Buffer.from(pki.admin.key),
      certChain: Buffer.from(pki.admin.cert),
    },
    grpcOptions: { 'grpc.ssl_target_name_override': 'localhost' },
  });
  try {
    const client = etcd();
    await client.put('shared', 'ours');
    assert.equal(await other.get('shared').string(), 'ours');
    await other.put('shared').value('theirs');
    assert.equal(text((await client.get('shared'))?.value), 'theirs');
    const lease = other.lease(60);
    await lease.put('leased').value('');
    const id = BigInt(await lease.grant());
    assert.equal((await client.get('leased'))?.lease, id);
    assert.equal(await client.keepLeaseAlive(id), 60);
    await lease.revoke();
    assert.equal(await client.keepLeaseAlive(id), 0);

    const watcher = await other.watch().prefix('watched/').create();
    const seen = new Promise<string>((resolve) => {
      watcher.once('put', ({ key, value }) => resolve(`${key} ${value}`));
    });
    const stop = new AbortController();
    const news = client.watchPrefix('watched/', stop.signal)[Symbol.asyncIterator]();
    await news.next();
    await client.put('watched/by-them', 'ours');
    assert.equal(await seen, 'watched/by-them ours');
    await other.put('watched/by-us').value('theirs');
    const keys: string[] = [];
    while (keys.length < 2) {
      const { value } = await news.next();
      if (value?.kind === 'changes')
        for (const change of value.changes) if (change.kind === 'put') keys.push(change.keyValue.key);
    }
    assert.deepEqual(keys, ['watched/by-them', 'watched/by-us']);
    stop.abort();
    await watcher.cancel();
  } finally {
    other.close();
  }
});

test('a fault names the endpoint and etcd’s reason, and neither keys nor values', { skip }, async () => {
  const client = etcd();
  const secret = 'secret-key-of-somebody';
  const tooLarge = client.put(secret, Buffer.alloc(1_700_000, secret));
  await assert.rejects(tooLarge, ({ kind, message, endpoint }: EtcdFault) => {
    assert.deepEqual([kind, endpoint], ['invalid-argument', cluster?.endpoints[0]]);
    assert.equal(message, `etcd at ${endpoint}: request is too large`);
    return true;
  });
  await assert.rejects(client.put(secret, secret, { lease: 4711n }), (fault: EtcdFault) => {
    assert.deepEqual([fault.kind, fault.reason], ['not-found', 'lease-not-found']);
    assert.doesNotMatch(fault.message, /secret/);
    return true;
  });
  const { revision } = await client.list('');
  await client.compact(revision);
  await assert.rejects(client.compact(revision), { kind: 'out-of-range', reason: 'compacted' });
});
