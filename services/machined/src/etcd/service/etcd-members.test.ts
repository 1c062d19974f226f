// Tests leadership transfer, member removal and leave against real etcd clusters.
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { systemTimers, type Timers } from '@nodewright/async';
import { EtcdFault, etcdIdText } from '@nodewright/etcd';
import {
  peerUrlOf,
  randomLoopback,
  skipWithoutEtcd,
  startEtcdCluster,
  type TestCluster,
} from '@nodewright/etcd/testing';
import { Fault } from '@nodewright/fault';
import { MemoryState, pointerTo } from '@nodewright/state';
import { etcdMembers, etcdSpecs } from '@nodewright/state/kinds';
import { createLogger, type Logger, noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { controlPlaneKey, controlPlanePrefix } from '../../base/domain/control-plane-key.ts';
import type { EtcdAccess } from '../host/etcd-access.ts';
import { updatePeerUrls } from '../host/etcd-member.ts';
import { votingStates } from '../host/etcd-votes.ts';
import { readStoredMemberId } from '../host/stored-member.ts';
import { etcdLeave } from './etcd-leave.ts';
import { forfeitLeadership } from './forfeit-leadership.ts';
import { leaveEtcd } from './leave-etcd.ts';
import type { RunnableEtcd } from './node-etcd.ts';
import { assertRemovable, removeEtcdMember } from './remove-etcd-member.ts';

const skip = skipWithoutEtcd();
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const never = new AbortController().signal;

/** The access to the cluster from the node of one member. */
function accessAt(cluster: TestCluster, index: number): EtcdAccess {
  const own = cluster.endpoints[index] ?? assert.fail();
  const others = cluster.endpoints.filter((endpoint) => endpoint !== own);
  const openAt = async (endpoints: readonly string[]) => cluster.client({ endpoints, dialTimeoutMs: 2000 });
  return {
    openAt,
    openLocal: () => openAt([own]),
    openCluster: () => openAt([own, ...others]),
    own: async () => [own],
    others: async () => others,
  };
}

const idOf = async (cluster: TestCluster, name: string) =>
  (await cluster.client().members()).find((member) => member.name === name)?.id ?? assert.fail(name);
/** Reads the member list with a quorum, which may first have to elect a leader. */
const namesOf = async (access: EtcdAccess) => {
  await using client = await access.openLocal();
  let names: string[] = [];
  const read = async () => {
    names = (await client.members({ linearizable: true, timeoutMs: 5000 })).map(({ name }) => name);
    return true;
  };
  await eventually(read, { what: 'list of members', timeoutMs: 30_000 });
  return names.sort();
};

/** Prepares the node of one member to leave. `wiped` records when its data are removed. */
async function leaving(
  cluster: TestCluster,
  index: number,
  given: { readonly id?: bigint; readonly hostname?: string; readonly hasData?: boolean } = {},
) {
  const state = new MemoryState({ now: () => 0, cookie: Buffer.alloc(8) });
  if (given.id !== undefined)
    await state.create({ ...pointerTo(etcdMembers, 'local'), spec: { memberID: etcdIdText(given.id) } });
  const wiped: string[] = [];
  const member = cluster.members[index] ?? assert.fail();
  const init = {
    access: accessAt(cluster, index),
    state,
    service: {
      storedId: async () =>
        (await readStoredMemberId(member.dataFolder)) ?? (given.hasData ? 'unknown' : 'none'),
      wipe: async () => {
        await member.stop();
        wiped.push(member.name);
      },
    },
    hostname: () => given.hostname ?? member.name,
    timers: systemTimers,
    log: createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' }),
  };
  return { wiped, init, leave: (signal = never) => leaveEtcd(init, signal) };
}

test('forfeitLeadership() transfers leadership to a live voter, and only on the leader', {
  skip,
}, async () => {
  await using cluster = await startEtcdCluster(3);
  const states = await Promise.all(
    cluster.endpoints.map((endpoint) => cluster.client({ endpoints: [endpoint] }).status()),
  );
  const leader = states.findIndex(({ memberId, leader: known }) => memberId === known);
  const [dead, alive] = [0, 1, 2].filter((index) => index !== leader);
  assert.equal(await forfeitLeadership(accessAt(cluster, alive ?? -1), systemTimers, never), undefined);
  await cluster.members[dead ?? -1]?.stop('SIGKILL');
  const next = await forfeitLeadership(accessAt(cluster, leader), systemTimers, never);
  assert.equal(next, cluster.members[alive ?? -1]?.name);
  const status = () => cluster.client({ endpoints: [cluster.endpoints[alive ?? -1] ?? ''] }).status();
  await eventually(async () => (await status()).leader === states[alive ?? -1]?.memberId, {
    what: 'new leader',
  });
  await cluster.members[leader]?.stop('SIGKILL');
});

test('forfeitLeadership() succeeds when the new leader returns the leadership immediately', {
  skip,
}, async () => {
  // etcd checks once per heartbeat whether the leadership has moved. Here it moves back within one heartbeat.
  const args = ['--heartbeat-interval=500', '--election-timeout=2500'];
  await using cluster = await startEtcdCluster(2, { args });
  const clients = cluster.endpoints.map((endpoint) => cluster.client({ endpoints: [endpoint] }));
  const states = await Promise.all(clients.map((client) => client.status()));
  const own = states.findIndex(({ memberId, leader: known }) => memberId === known);
  const leader = states[own]?.leader ?? assert.fail();
  const other = clients[1 - own] ?? assert.fail();
  const handBack = async () => {
    const leads = async () => {
      const status = await other.status();
      return status.leader === status.memberId;
    };
    await eventually(leads, { what: 'leadership of the other member' });
    await other.moveLeader(leader);
  };
  const [next] = await Promise.all([
    forfeitLeadership(accessAt(cluster, own), systemTimers, never),
    handBack(),
  ]);
  assert.equal(next, cluster.members[1 - own]?.name);
  assert.equal((await other.status()).leader, leader);
});

test('removeEtcdMember() refuses to remove a member whose vote is needed, and removes a dead one and frees its names', {
  skip,
}, async () => {
  await using cluster = await startEtcdCluster(3);
  const access = accessAt(cluster, 0);
  const [second, third] = [await idOf(cluster, 'cp-2'), await idOf(cluster, 'cp-3')];
  await cluster.members[2]?.stop('SIGKILL');
  await assert.rejects(removeEtcdMember(access, second, never), {
    kind: 'failed-precondition',
    message: 'removing cp-2 would leave 1 of 2 voters alive, and 2 are needed: start cp-3 or remove it first',
  });
  const { wiped, leave } = await leaving(cluster, 1, { id: second });
  await assert.rejects(leave(), { kind: 'failed-precondition' });
  assert.deepEqual([wiped, await namesOf(access)], [[], ['cp-1', 'cp-2', 'cp-3']]);

  await assert.rejects(assertRemovable(access, second, never), { kind: 'failed-precondition' });
  // The second one is kept by a removal that was interrupted before it freed the names.
  const kept = [third, 4711n, second].map((id) => controlPlaneKey(etcdIdText(id)));
  for (const key of kept) await cluster.client().put(key, '{}');
  const keys = async () => {
    await using client = await access.openLocal();
    return (await client.list(controlPlanePrefix, { timeoutMs: 5000 })).keyValues.map(({ key }) => key);
  };
  await assert.rejects(removeEtcdMember(access, 4711n, never), {
    kind: 'not-found',
    message: 'no member of etcd has the id 0000000000001267; the names that its node kept are free now',
  });
  await assert.rejects(removeEtcdMember(access, 4711n, never), {
    kind: 'not-found',
    message: 'no member of etcd has the id 0000000000001267',
  });
  assert.deepEqual(await keys(), [third, second].map((id) => controlPlaneKey(etcdIdText(id))).sort());
  // etcd refuses this removal until it has noticed that the member is gone.
  await eventually(async () => (await removeEtcdMember(access, third, never)) === undefined, {
    what: 'removal of the dead member',
    timeoutMs: 30_000,
  });
  assert.deepEqual(await namesOf(access), ['cp-1', 'cp-2']);
  assert.deepEqual(await keys(), [controlPlaneKey(etcdIdText(second))]);

  // One of two voters may leave, because both can still agree on the removal.
  const last = await leaving(cluster, 1, { id: second });
  await eventually(async () => (await last.leave()) === undefined, { what: 'leave', timeoutMs: 30_000 });
  assert.deepEqual([last.wiped, await namesOf(access)], [['cp-2'], ['cp-1']]);
  assert.deepEqual(await keys(), []);
  await assert.rejects(removeEtcdMember(access, await idOf(cluster, 'cp-1'), never), {
    kind: 'failed-precondition',
    message: 'removing cp-1 would leave no voter: it is the last one of the cluster',
  });
  assert.ok((await cluster.client({ endpoints: cluster.endpoints.slice(0, 1) }).put('still', 'here')) > 0n);
});

test('removeEtcdMember() fails immediately in a cluster without a quorum', { skip }, async () => {
  await using cluster = await startEtcdCluster(3);
  const second = await idOf(cluster, 'cp-2');
  for (const member of cluster.members.slice(1)) await member.stop('SIGKILL');
  await assert.rejects(removeEtcdMember(accessAt(cluster, 0), second, never), {
    kind: 'failed-precondition',
    message:
      'cannot remove cp-2 without a quorum: 1 of 3 voters alive, and 2 are needed: start cp-2 and cp-3, or restore the cluster from a snapshot',
  });
});

test('leaveEtcd() completes a leave that was interrupted after the removal', { skip }, async () => {
  await using cluster = await startEtcdCluster(3);
  const client = cluster.client();
  const third = await idOf(cluster, 'cp-3');
  // etcd refuses removals until the members have been connected for a few seconds.
  const isRemoved = async () => (await client.removeMember(third)).length === 2;
  await eventually(isRemoved, { what: 'removal', timeoutMs: 30_000 });
  // The etcd of this member has exited, so no resource holds its id.
  const { wiped, leave } = await leaving(cluster, 2);
  await leave();
  assert.deepEqual([wiped, await namesOf(accessAt(cluster, 0))], [['cp-3'], ['cp-1', 'cp-2']]);
});

test('leaveEtcd() completes although the names of the node cannot be freed, and removeEtcdMember() fails then', {
  skip,
}, async () => {
  await using cluster = await startEtcdCluster(3);
  const [second, third] = [await idOf(cluster, 'cp-2'), await idOf(cluster, 'cp-3')];
  const unable: EtcdAccess['openAt'] = async (endpoints) => ({
    ...(await accessAt(cluster, 2).openAt(endpoints)),
    delete: async () => {
      throw new Fault('deadline-exceeded', 'etcd did not answer');
    },
  });
  const { wiped, init } = await leaving(cluster, 2, { id: third });
  const warnings: unknown[] = [];
  const log = { warn: (...line: unknown[]) => void warnings.push(line), info() {} } as unknown as Logger;
  const leave = () => leaveEtcd({ ...init, access: { ...init.access, openAt: unable }, log }, never);
  await eventually(async () => (await leave()) === undefined, { what: 'leave', timeoutMs: 60_000 });
  assert.deepEqual([wiped, await namesOf(accessAt(cluster, 0))], [['cp-3'], ['cp-1', 'cp-2']]);
  assert.equal(warnings.length, 1);
  const remove = () => removeEtcdMember({ ...accessAt(cluster, 0), openAt: unable }, second, never);
  await assert.rejects(remove, {
    kind: 'deadline-exceeded',
    message: /was removed, but its names are still reserved/,
  });
});

test('leaveEtcd() repeats a removal that etcd refuses for a moment after 1 s, and says once what it waits for', {
  skip,
}, async () => {
  await using cluster = await startEtcdCluster(3);
  const third = await idOf(cluster, 'cp-3');
  const { init } = await leaving(cluster, 2, { id: third });
  let refusals = 2;
  const openAt: EtcdAccess['openAt'] = async (endpoints) => {
    const client = await init.access.openAt(endpoints);
    const removeMember: typeof client.removeMember = async (...call) => {
      refusals -= 1;
      if (refusals >= 0)
        throw new EtcdFault('unavailable', 'etcd: unhealthy cluster', { reason: 'unhealthy-cluster' });
      return client.removeMember(...call);
    };
    return { ...client, removeMember };
  };
  const pauses: number[] = [];
  const after: Timers['after'] = (delayMs, action) => {
    pauses.push(delayMs);
    return systemTimers.after(delayMs, action);
  };
  const lines: unknown[] = [];
  const log = { info: (...line: unknown[]) => void lines.push(line) } as unknown as Logger;
  await leaveEtcd(
    { ...init, access: { ...init.access, openAt }, timers: { ...systemTimers, after }, log },
    never,
  );
  assert.deepEqual([...new Set(pauses)], [1000]);
  assert.deepEqual(lines, [
    [
      {
        waitsFor: 'members that have been connected to each other for 5 s',
        error: 'etcd: unhealthy cluster',
      },
      'etcd does not remove this member yet, repeating it every second',
    ],
  ]);
});

test('leaveEtcd() of a renamed node whose etcd does not run removes the member that its data belong to', {
  skip,
}, async () => {
  await using cluster = await startEtcdCluster(3);
  await cluster.members[2]?.stop();
  const { wiped, leave } = await leaving(cluster, 2, { hostname: 'renamed' });
  await leave();
  assert.deepEqual([wiped, await namesOf(accessAt(cluster, 0))], [['cp-3'], ['cp-1', 'cp-2']]);
});

test('leaveEtcd() deletes no data of a member that it cannot identify', { skip }, async () => {
  await using cluster = await startEtcdCluster(3);
  const third = cluster.members[2] ?? assert.fail();
  await third.stop();
  // What is there when the log is somewhere else.
  await rm(join(third.dataFolder, 'member', 'wal'), { recursive: true });
  const { wiped, leave } = await leaving(cluster, 2, { hostname: 'renamed', hasData: true });
  await assert.rejects(leave(), {
    kind: 'failed-precondition',
    message: /^this node has data of etcd, but which member they belong to is unknown/,
  });
  assert.deepEqual([wiped, await namesOf(accessAt(cluster, 0))], [[], ['cp-1', 'cp-2', 'cp-3']]);
});

test('members that no longer listen on their client URLs are found by their ids', { skip }, async () => {
  const elsewhere = `https://${randomLoopback()}:2379`;
  await using cluster = await startEtcdCluster(3, { args: [`--advertise-client-urls=${elsewhere}`] });
  const access = accessAt(cluster, 0);
  const members = await cluster.client().members();
  assert.deepEqual(new Set(members.flatMap(({ clientUrls }) => clientUrls)), new Set([elsewhere]));
  const alive = async () =>
    (await votingStates(access, members, never))
      .filter(({ isAlive }) => isAlive)
      .map(({ name }) => name)
      .sort();
  await eventually(async () => (await alive()).length === 3, {
    what: 'three members alive',
    timeoutMs: 10_000,
  });
  await cluster.members[1]?.stop('SIGKILL');
  await eventually(async () => (await alive()).join() === 'cp-1,cp-3', { what: 'two members alive' });
});

test('a member that the answering one does not know yet does not count as removed', { skip }, async () => {
  await using cluster = await startEtcdCluster(3);
  const third = await idOf(cluster, 'cp-3');
  const access = accessAt(cluster, 2);
  const behind: EtcdAccess['openAt'] = async (endpoints) => {
    const client = await access.openAt(endpoints);
    return {
      ...client,
      members: async (options) =>
        (await client.members(options)).filter(({ id }) => options?.linearizable || id !== third),
    };
  };
  await eventually(
    async () => (await removeEtcdMember({ ...access, openAt: behind }, third, never)) === undefined,
    { what: 'removal', timeoutMs: 30_000 },
  );
  assert.deepEqual(await namesOf(accessAt(cluster, 0)), ['cp-1', 'cp-2']);
});

test('updatePeerUrls() changes the peer URLs of the own member, whatever its name, and nothing the second time', {
  skip,
}, async () => {
  await using cluster = await startEtcdCluster(3);
  const wanted = [cluster.members[2]?.peerUrl ?? '', peerUrlOf(randomLoopback())];
  const update = () => updatePeerUrls(accessAt(cluster, 2), wanted, never);
  let isChanged = false;
  const done = async () => {
    isChanged = await update();
    return true;
  };
  // etcd refuses changes until the members have been connected for a few seconds.
  await eventually(done, { what: 'change of the peer URLs', timeoutMs: 30_000 });
  const told = (await cluster.client().members({ linearizable: true })).map(({ name, peerUrls }) => [
    name,
    peerUrls.length,
  ]);
  assert.deepEqual(
    { isChanged, told: told.sort(), again: await update() },
    {
      isChanged: true,
      told: [
        ['cp-1', 1],
        ['cp-2', 1],
        ['cp-3', 2],
      ],
      again: false,
    },
  );
});

test('etcdLeave() of a node without data removes the dead member that it was, and no living one of its name', {
  skip,
}, async () => {
  await using cluster = await startEtcdCluster(3);
  const third = cluster.members[2] ?? assert.fail();
  await third.stop();
  const leaveAs = async (name: string, index: number) => {
    // A host name may have a domain, which the name of a member has not.
    const { wiped, init } = await leaving(cluster, 2, { hostname: `${name}.example.com` });
    const advertisedAddresses = [new URL(cluster.members[index]?.peerUrl ?? 'https://127.9.9.9').hostname];
    const spec = { name, advertisedAddresses } as never;
    await init.state.create({ ...pointerTo(etcdSpecs), spec });
    const service = { ...init.service, isDeclared: true } as unknown as RunnableEtcd['service'];
    const etcd = { access: init.access, run: { service } as RunnableEtcd };
    const dataFolder = join(third.dataFolder, 'is not mounted');
    const leave = etcdLeave(etcd, { state: init.state, dataFolder, hostname: init.hostname, log: init.log });
    await leave?.(never);
    return { wiped, left: await namesOf(accessAt(cluster, 0)) };
  };
  const all = { wiped: [], left: ['cp-1', 'cp-2', 'cp-3'] };
  assert.deepEqual(await leaveAs('cp-2', 1), all);
  assert.deepEqual(await leaveAs('never-joined', 9), all);
  // Another node may have the name, and be silent for a moment.
  assert.deepEqual(await leaveAs('cp-3', 9), all);
  assert.deepEqual(await leaveAs('renamed', 2), { wiped: [], left: ['cp-1', 'cp-2'] });
});
