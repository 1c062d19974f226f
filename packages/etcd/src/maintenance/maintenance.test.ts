// Maintenance calls to members of a real etcd.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import type { EtcdFault } from '../etcd-fault.ts';
import { findEtcd, skipWithoutEtcd, startEtcdCluster } from '../testing/index.ts';

const skip = skipWithoutEtcd();
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const quotaBytes = 2 << 20;
const cluster = skip
  ? undefined
  : scope.use(await startEtcdCluster(3, { args: [`--quota-backend-bytes=${quotaBytes}`] }));
const etcd = () => (cluster ?? assert.fail('no etcd')).client();
/** A client of each member only. */
const each = () =>
  (cluster?.members ?? []).map(({ endpoint }) => cluster?.client({ endpoints: [endpoint] }) ?? assert.fail());

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(pieces));
}

test('a snapshot ends with the hash of the bytes before it, and etcdutl reads it', {
  skip,
}, async () => {
  const client = etcd();
  for (let index = 0; index < 50; index++) await client.put(`k${index}`, Buffer.alloc(1000, index));
  const bytes = await bytesOf(client.snapshot());
  const database = bytes.subarray(0, -32);
  assert.equal(database.length % 512, 0);
  assert.deepEqual(bytes.subarray(-32), createHash('sha256').update(database).digest());

  const folder = mkdtempSync(join(tmpdir(), 'snapshot-'));
  try {
    const path = join(folder, 'db');
    writeFileSync(path, bytes);
    const said = execFileSync(findEtcd()?.etcdutl ?? '', ['snapshot', 'status', path, '-w', 'json'], {
      encoding: 'utf8',
    });
    assert.ok(JSON.parse(said).totalKey >= 50, said);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a snapshot is cancelled by its signal', { skip }, async () => {
  const stop = new AbortController();
  stop.abort();
  await assert.rejects(bytesOf(etcd().snapshot(stop.signal)), { kind: 'cancelled' });
});

test('each member reports its own state, and the same leader', { skip }, async () => {
  const states = await Promise.all(each().map((client) => client.status()));
  const ids = (await etcd().members()).map(({ id }) => id);
  assert.deepEqual(states.map(({ memberId }) => memberId).sort(), ids.sort());
  assert.equal(new Set(states.map(({ leader }) => leader)).size, 1);
  for (const { version, dbSizeBytes, dbSizeInUseBytes, isLearner, errors, raftTerm } of states) {
    assert.match(version, /^3\.\d+\.\d+$/);
    assert.ok(dbSizeBytes >= dbSizeInUseBytes && dbSizeInUseBytes > 0n && raftTerm > 0n);
    assert.deepEqual([isLearner, errors], [false, []]);
  }
});

test('only the leader can transfer its leadership', { skip }, async () => {
  const clients = each();
  const states = await Promise.all(clients.map((client) => client.status()));
  const leaderAt = states.findIndex(({ memberId, leader }) => memberId === leader);
  const next = states.find(({ memberId }) => memberId !== states[leaderAt]?.memberId)?.memberId ?? 0n;
  const other = clients.find((_, index) => index !== leaderAt) ?? assert.fail();
  await assert.rejects(other.moveLeader(next), { kind: 'failed-precondition', reason: 'not-leader' });
  await assert.rejects(clients[leaderAt]?.moveLeader(4711n) ?? assert.fail(), {
    reason: 'bad-leader-transferee',
  });
  await clients[leaderAt]?.moveLeader(next);
  await eventually(async () => (await other.status()).leader === next, { what: 'the new leader' });
});

test('a full member raises an alarm, which is cleared after space was freed', { skip }, async () => {
  const client = etcd();
  const fill = async () => {
    for (let index = 0; ; index++) await client.put('fill', Buffer.alloc(400_000, index));
  };
  await assert.rejects(fill(), { kind: 'resource-exhausted', reason: 'no-space' });
  const alarms = await client.alarms();
  assert.ok(alarms.length > 0 && alarms.every(({ type }) => type === 'no-space'), 'an alarm of its own kind');
  const { errors } = await client.status();
  assert.match(errors.join('\n'), /\bmemberID:\d+ .*\balarm:NOSPACE/, 'the status names it, too');
  await client.delete('fill');
  await client.compact((await client.list('fill')).revision);
  const before = (await client.status()).dbSizeBytes;
  for (const member of each()) await member.defragment();
  assert.ok((await client.status()).dbSizeBytes < before);
  const [one] = alarms;
  assert.ok(one !== undefined && (await client.disarm(one)).length > 0);
  await client.disarm();
  assert.deepEqual(await client.alarms(), []);
  await client.put('fill', 'again');
});

test('a downgrade that is enabled changes the version of the storage, and cancelling it changes it back', {
  skip,
}, async () => {
  const client = etcd();
  const { version } = await client.status();
  const [major, minor] = version.split('.').map(Number) as [number, number];
  const [own, previous] = [`${major}.${minor}`, `${major}.${minor - 1}`];
  const reaches = (wanted: string) =>
    eventually(async () => (await client.status()).storageVersion === `${wanted}.0`, {
      what: `storage of version ${wanted}`,
      timeoutMs: 30_000,
    });
  await reaches(own);
  // Nothing is in progress, and etcd does not call that a failure.
  assert.equal(await client.downgrade('cancel', ''), own);
  assert.equal(await client.downgrade('enable', previous), own);
  await reaches(previous);
  assert.equal(await client.downgrade('cancel', ''), previous);
  await reaches(own);
});

test('the server rejects a downgrade to its own version', { skip }, async () => {
  const client = etcd();
  const [major = '', minor = ''] = (await client.status()).version.split('.');
  assert.match(await client.downgrade('validate', `${major}.${Number(minor) - 1}`), /^3\.\d+(\.\d+)?$/);
  await assert.rejects(client.downgrade('validate', `${major}.${minor}`), (fault: EtcdFault) => {
    assert.deepEqual([fault.kind, fault.reason], ['invalid-argument', 'invalid-downgrade-version']);
    return true;
  });
});
