import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeTimers } from '@nodewright/controllers/testing';
import type { EtcdClient, LockOptions } from '@nodewright/etcd';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { votingStates } from '../host/etcd-votes.ts';
import { restartEtcd } from './restart-etcd.ts';

interface Case {
  readonly members: number;
  /** The numbers of the members that do not answer, from 1. This node's member is 1. */
  readonly dead?: readonly number[];
  readonly lock?: 'none' | 'not needed any more';
  /** How often this node's member reports no leader after its restart. */
  readonly leaderless?: number;
}

/** Calls `restartEtcd()` and returns its actions, with the reason if the restart was postponed. */
async function outcomeOf({ members, dead = [], lock, leaderless = 0 }: Case) {
  const done: string[] = [];
  const timers = new FakeTimers();
  let isNeeded = true;
  let leaderlessLeft = leaderless;
  const all = Array.from({ length: members }, (_, index) => ({
    ...{ id: BigInt(index + 1), name: `node0${index + 1}`, isLearner: false, peerUrls: [] },
    clientUrls: [`https://10.0.0.${index + 1}:2379`],
  }));
  const leaderAfterRestart = () => {
    if (leaderlessLeft === 0) return BigInt(members);
    leaderlessLeft -= 1;
    done.push('no leader yet');
    setImmediate(() => timers.step(timers.now() + 500));
    return 0n;
  };
  const open = async (endpoint: string) => {
    const number = Number(/(\d+):/.exec(endpoint)?.[1]);
    // This node's member answers again after a restart.
    const answers = !dead.includes(number) || (number === 1 && done.includes('restart'));
    const answering =
      <T>(value: T) =>
      async () => {
        if (!answers) throw new Error('unreachable');
        return value;
      };
    return {
      members: async () => all,
      async status() {
        const leader = number === 1 && done.includes('restart') ? leaderAfterRestart() : BigInt(members);
        return answering({ memberId: BigInt(number), leader, raftTerm: 1n })();
      },
      async lock(_name: string, { signal }: LockOptions = {}) {
        done.push('lock');
        if (lock === 'none') {
          const { promise, reject } = Promise.withResolvers<never>();
          signal?.addEventListener('abort', () => reject(new Error('no leader')));
          timers.step(timers.now() + 60_000);
          return promise;
        }
        isNeeded = lock !== 'not needed any more';
        return {
          signal: new AbortController().signal,
          [Symbol.asyncDispose]: async () => void done.push('unlock'),
        };
      },
      [Symbol.asyncDispose]: async () => {},
    } as unknown as EtcdClient;
  };
  const own = '10.0.0.1:2379';
  const access = {
    own: async () => [own],
    others: async () => all.slice(1).map((_, index) => `10.0.0.${index + 2}:2379`),
    openLocal: () => open(own),
    openAt: ([first = '']: readonly string[]) => open(first),
    openCluster: () => open(own),
  };
  const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });
  const restart = async () => {
    done.push('restart');
    isNeeded = false;
  };
  const request = { signal: new AbortController().signal, isNeeded: async () => isNeeded };
  const postponed = await restartEtcd({ access, log, timers, restart, storedId: async () => 1n }, request);
  return [...done, ...(postponed === undefined ? [] : [postponed.reason])].join(', ');
}

test('votingStates() asks each client URL of a member: one of them may belong to another node now', async () => {
  const at: Record<string, bigint> = { '10.0.0.1:2379': 1n, '10.0.0.2:2379': 2n, '10.0.0.9:2379': 1n };
  const openAt = async ([endpoint = '']: readonly string[]) =>
    ({
      status: async () => ({ memberId: at[endpoint] ?? assert.fail(endpoint), leader: 1n, raftTerm: 1n }),
      [Symbol.asyncDispose]: async () => {},
    }) as unknown as EtcdClient;
  const members = [
    { id: 1n, name: 'cp-1', clientUrls: ['https://10.0.0.2:2379', 'https://10.0.0.9:2379'] },
    { id: 2n, name: 'cp-2', clientUrls: ['https://10.0.0.2:2379'] },
  ].map((member) => ({ ...member, isLearner: false, peerUrls: [] }));
  const access = { openAt, own: async () => [], others: async () => [] };
  const states = await votingStates(access, members, new AbortController().signal);
  assert.deepEqual(
    states.map(({ name, isAlive }) => [name, isAlive]),
    [
      ['cp-1', true],
      ['cp-2', true],
    ],
  );
});

test('restartEtcd() restarts nothing once its request is aborted', async () => {
  const request = new AbortController();
  const unreachable = async () => {
    request.abort();
    throw new Error('unreachable');
  };
  const done: string[] = [];
  const access = {
    ...{ own: async () => ['10.0.0.1:2379'], others: async () => [] },
    ...{ openLocal: unreachable, openAt: unreachable, openCluster: unreachable },
  };
  const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });
  const restart = async () => void done.push('restart');
  const init = { access, log, timers: new FakeTimers(), restart, storedId: async () => 1n };
  const isNeeded = async () => true;
  await restartEtcd(init, { signal: request.signal, isNeeded }).catch(() => {});
  assert.deepEqual(done, []);
});

test('restartEtcd() restarts under a lock, and a running member only while all others are healthy', async () => {
  const table: [Case, string][] = [
    [{ members: 1 }, 'restart'],
    [{ members: 3 }, 'lock, restart, unlock'],
    [{ members: 3, dead: [1] }, 'lock, restart, unlock'],
    [{ members: 3, dead: [1, 2] }, 'lock, restart, unlock'],
    [
      { members: 3, dead: [2] },
      'lock, unlock, etcd of node02 does not answer: this node restarts its own etcd only when all other members answer',
    ],
    [{ members: 3, lock: 'not needed any more' }, 'lock, unlock'],
    [{ members: 3, leaderless: 2 }, 'lock, restart, no leader yet, no leader yet, unlock'],
  ];
  for (const [given, outcome] of table) assert.equal(await outcomeOf(given), outcome);
});

test('restartEtcd() without a lock restarts only a member that does not answer', async () => {
  const table: [Case, string][] = [
    [{ members: 3, dead: [1, 2], lock: 'none' }, 'lock, restart'],
    [
      { members: 3, lock: 'none' },
      'lock, etcd has no leader, or another control plane is restarting its member',
    ],
  ];
  for (const [given, outcome] of table) assert.equal(await outcomeOf(given), outcome);
});
