// Watches of a real etcd, with lost connections and compacted history.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { skipWithoutEtcd, startEtcdCluster } from '../testing/index.ts';
import type { PrefixWatch } from './prefix-watch.ts';

const skip = skipWithoutEtcd();
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const cluster = skip ? undefined : scope.use(await startEtcdCluster(3));
const etcd = () => (cluster ?? assert.fail('no etcd')).client();

/** The events of a watch in short form, and whether it has ended. */
function follow(watch: PrefixWatch): { readonly updates: string[]; readonly ended: Promise<void> } {
  const updates: string[] = [];
  const read = async () => {
    for await (const update of watch) {
      if (update.kind === 'all')
        updates.push(`all ${update.keyValues.map(({ key }) => key).join(' ')}`.trim());
      else
        for (const change of update.changes)
          updates.push(change.kind === 'put' ? `put ${change.keyValue.key}` : `delete ${change.key}`);
    }
  };
  return { updates, ended: read() };
}

test('watchPrefix() sends all keys, then the changes, until its signal aborts', { skip }, async () => {
  const client = etcd();
  const stop = new AbortController();
  await client.put('w1/a', '1');
  await client.put('elsewhere', '1');
  const { updates, ended } = follow(client.watchPrefix('w1/', stop.signal));
  await eventually(() => updates.length === 1, { what: 'list' });
  await client.put('w1/b', '2');
  await client.txn({
    compare: [],
    success: [
      { kind: 'put', key: 'w1/c', value: '3' },
      { kind: 'delete', key: 'w1/a' },
      { kind: 'put', key: 'elsewhere', value: '2' },
    ],
  });
  await eventually(() => updates.length === 4, { what: 'changes', explain: () => updates.join(', ') });
  stop.abort();
  await ended;
  assert.deepEqual(updates, ['all w1/a', 'put w1/b', 'put w1/c', 'delete w1/a']);
});

test('watchPrefix() neither misses nor repeats a change while its members die in turn', {
  skip,
}, async () => {
  const { members, endpoints } = cluster ?? assert.fail();
  const client = etcd();
  const writer = etcd();
  const stop = new AbortController();
  const failures: string[] = [];
  const onFailure = ({ message }: Error) => void failures.push(message);
  const { updates, ended } = follow(client.watchPrefix('w2/', stop.signal, { onFailure }));
  await eventually(() => updates.length === 1, { what: 'list' });
  const expected = ['all'];
  const write = async (count: number) => {
    for (let index = 0; index < count; index++) {
      const key = `w2/${String(expected.length).padStart(4, '0')}`;
      await eventually(
        async () => {
          // The condition makes a repeated write harmless.
          const { succeeded } = await writer.txn(
            { compare: [{ key, createRevision: 0n }], success: [{ kind: 'put', key, value: '' }] },
            { timeoutMs: 3000 },
          );
          return succeeded || (await writer.get(key)) !== undefined;
        },
        { what: `write of ${key}`, timeoutMs: 30_000 },
      );
      expected.push(`put ${key}`);
    }
  };
  for (const member of members) {
    await write(20);
    await member.stop('SIGKILL');
    await write(20);
    member.start();
    await eventually(
      async () => (await cluster?.client({ endpoints: [member.endpoint] }).get('x')) === undefined,
      { what: `return of ${member.name}`, timeoutMs: 30_000 },
    );
  }
  await eventually(() => updates.length >= expected.length, {
    what: 'all changes',
    timeoutMs: 30_000,
    explain: () => `${updates.length} of ${expected.length}\n${failures.join('\n')}`,
  });
  stop.abort();
  await ended;
  assert.deepEqual(updates, expected);
  assert.ok(failures.length > 0, 'the watch was never broken');
  assert.ok(
    failures.every((line) => endpoints.some((endpoint) => line.includes(endpoint))),
    failures.join('\n'),
  );
});

test('watchPrefix() neither misses nor repeats a change when its member dies while the watch catches up', {
  skip,
}, async () => {
  const { members, endpoints: [first = ''] = [] } = cluster ?? assert.fail();
  const client = cluster?.client({ endpoints: [first] }) ?? assert.fail();
  const writer = cluster?.client({ endpoints: cluster.endpoints.slice(1) }) ?? assert.fail();
  // More than two responses of a watch that catches up, which have 1,000 revisions each.
  const keys = Array.from({ length: 2_900 }, (_, index) => `w5/${String(index).padStart(4, '0')}`);
  const updates = client.watchPrefix('w5/', new AbortController().signal)[Symbol.asyncIterator]();
  assert.deepEqual((await updates.next()).value?.kind, 'all');
  // The stream of changes does not exist yet: it starts with the next read.
  for (let first = 0; first < keys.length; first += 100)
    await Promise.all(keys.slice(first, first + 100).map((key) => writer.put(key, '')));
  await client.get('w5/');
  const seen: string[] = [];
  while (seen.length < keys.length) {
    const { value } = await updates.next();
    if (value?.kind !== 'changes') assert.fail(`unexpected end or list after ${seen.length} changes`);
    for (const change of value.changes) if (change.kind === 'put') seen.push(change.keyValue.key);
    if (seen.length >= keys.length || members[0] === undefined) continue;
    await members[0].stop('SIGKILL');
    members[0].start();
  }
  await updates.return?.(undefined);
  // The writes of a batch have no order.
  assert.deepEqual(seen.sort(), keys);
});

test('watchPrefix() sends all keys again when etcd has compacted the missed history', { skip }, async () => {
  const { members, endpoints: [first = ''] = [] } = cluster ?? assert.fail();
  const client = cluster?.client({ endpoints: [first] }) ?? assert.fail();
  const writer = cluster?.client({ endpoints: cluster.endpoints.slice(1) }) ?? assert.fail();
  const stop = new AbortController();
  await writer.put('w3/old', '');
  const { updates, ended } = follow(client.watchPrefix('w3/', stop.signal));
  await eventually(() => updates.length === 1, { what: 'list' });
  await members[0]?.stop('SIGKILL');
  await eventually(async () => (await writer.put('w3/new', '')) > 0n, {
    what: 'write without it',
    timeoutMs: 30_000,
  });
  await writer.delete('w3/old');
  const { revision } = await writer.list('w3/');
  await writer.put('w3/newer', '');
  await writer.compact(revision);
  members[0]?.start();
  await eventually(() => updates.length >= 2, { what: 'new list', timeoutMs: 30_000 });
  await writer.put('w3/newest', '');
  await eventually(() => updates.includes('put w3/newest'), { what: 'change', timeoutMs: 30_000 });
  stop.abort();
  await ended;
  assert.deepEqual(updates, ['all w3/old', 'all w3/new w3/newer', 'put w3/newest']);
});

test('watchPrefix() ends when its client is closed', { skip }, async () => {
  const client = etcd();
  const { updates, ended } = follow(client.watchPrefix('w4/', new AbortController().signal));
  await eventually(() => updates.length === 1, { what: 'list' });
  await client[Symbol.asyncDispose]();
  await ended;
  assert.deepEqual(updates, ['all']);
});
