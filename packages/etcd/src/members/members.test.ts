// Members that join, are promoted, move and leave, in a real etcd.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { type EtcdFault, etcdReasonOf } from '../etcd-fault.ts';
import { peerUrlOf, randomLoopback, skipWithoutEtcd, startEtcdCluster } from '../testing/index.ts';
import { etcdIdText } from './etcd-member.ts';

const skip = skipWithoutEtcd();
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const cluster = skip ? undefined : scope.use(await startEtcdCluster());
const etcd = () => (cluster ?? assert.fail('no etcd')).client();

const said = (reason: string, kind: string) => (fault: EtcdFault) => {
  assert.deepEqual([fault.reason, fault.kind], [reason, kind], fault.message);
  return true;
};

test('etcdIdText() is 16 hex digits', () => {
  assert.equal(etcdIdText(0xabcn), '0000000000000abc');
  assert.equal(etcdIdText(2n ** 64n - 1n), 'ffffffffffffffff');
});

test('a learner is added once, and one that cannot be promoted yet has a reason of its own', {
  skip,
}, async () => {
  const client = etcd();
  const peerUrl = peerUrlOf(randomLoopback());
  const { member, members } = await client.addLearner([peerUrl]);
  assert.deepEqual(member, { id: member.id, name: '', peerUrls: [peerUrl], clientUrls: [], isLearner: true });
  assert.equal(members.length, 2);
  await assert.rejects(client.addLearner([peerUrl]), said('peer-url-exists', 'failed-precondition'));
  await assert.rejects(
    client.addLearner([peerUrlOf(randomLoopback())]),
    said('too-many-learners', 'failed-precondition'),
  );
  await assert.rejects(client.promote(member.id), said('learner-not-ready', 'failed-precondition'));
  await assert.rejects(client.promote(4711n), said('member-not-found', 'not-found'));
  const [voter] = (await client.members()).filter(({ isLearner }) => !isLearner);
  await assert.rejects(client.promote(voter?.id ?? 0n), said('not-a-learner', 'failed-precondition'));
  const moved = peerUrlOf(randomLoopback());
  const after = await client.updateMember(member.id, [moved]);
  assert.deepEqual(after.find(({ id }) => id === member.id)?.peerUrls, [moved]);
  assert.equal((await client.removeMember(member.id)).length, 1);
  await assert.rejects(client.removeMember(member.id), said('member-not-found', 'not-found'));
});

test('a learner that has caught up is promoted by another member, and not by itself', { skip }, async () => {
  const client = etcd();
  const { member, id } = (await cluster?.join('cp-2')) ?? assert.fail();
  const own = cluster?.client({ endpoints: [member.endpoint] }) ?? assert.fail();
  await eventually(async () => (await own.status()).isLearner, {
    what: 'start of the learner',
    explain: member.output,
  });
  await assert.rejects(own.get('x'), said('learner', 'failed-precondition'));
  // Any other member will do: the first endpoint answers that it is a learner, the next one promotes it.
  const both = cluster?.client({ endpoints: [member.endpoint, ...cluster.endpoints] }) ?? assert.fail();
  let refusals = 0;
  await eventually(
    async () => {
      try {
        await both.promote(id);
        return true;
      } catch (error) {
        if (etcdReasonOf(error) !== 'learner-not-ready') throw error;
        refusals++;
        return false;
      }
    },
    { what: `promotion after ${refusals} refusals`, timeoutMs: 30_000 },
  );
  const voters = (await client.members({ linearizable: true })).filter(({ isLearner }) => !isLearner);
  assert.deepEqual(voters.map(({ name }) => name).sort(), ['cp-1', 'cp-2']);

  // One of two voters is gone, so there is no quorum.
  await member.stop('SIGKILL');
  await assert.rejects(client.members({ linearizable: true, timeoutMs: 2000 }), {
    kind: 'deadline-exceeded',
  });
  assert.equal((await client.members()).length, 2);
  member.start();
  await eventually(async () => (await client.members({ linearizable: true })).length === 2, {
    what: 'quorum',
    timeoutMs: 30_000,
  });
});
