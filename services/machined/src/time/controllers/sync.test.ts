import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import { pointerTo, putResource } from '@nodewright/state';
import {
  diagnostics,
  machineConfigs,
  ntpStatuses,
  timeServerStatuses,
  timeStatuses,
} from '@nodewright/state/kinds';
import { type WorldName, worlds } from '../../base/domain/world.ts';
import { timeServerLayers } from '../../network/domain/time-server-layers.ts';
import { timeControllers } from './time-controllers.ts';

const startMs = Date.UTC(2026, 0, 1);

async function openTime(name: WorldName) {
  const asked: string[] = [];
  /** Offsets by server; a server without one does not answer. */
  const offsets = new Map<string, number>();
  let now = () => startMs;
  const node = openTestRuntime({
    nowMs: startMs,
    controllers: timeControllers({
      world: worlds[name],
      steadyMs: () => now() - startMs,
      query: async (server) => {
        asked.push(server);
        const offsetMs = offsets.get(server);
        if (offsetMs === undefined) throw new Fault('deadline-exceeded', `no answer from ${server}`);
        return { offsetMs };
      },
    }),
  });
  now = () => node.timers.now();
  const { state } = node;
  const put = <S>(kind: { namespace: string; type: string }, id: string, spec: S) =>
    putResource(state, { ...pointerTo(kind, id), spec });
  return {
    ...{ asked, offsets, advance: node.advance, logged: node.logged, put, settled: () => node.settled() },
    servers: async (...timeServers: string[]) => {
      await put(timeServerStatuses, 'timeservers', { timeServers, useNTS: false });
      await node.settled();
    },
    configure: async (text: string) => {
      await put(machineConfigs, 'v1alpha1', text);
      await node.settled();
    },
    /** Moves the wall clock against the steady clock. */
    jump: (ms: number) => {
      const before = now;
      now = () => before() - ms;
    },
    status: async () => (await state.get(pointerTo(timeStatuses, 'node'))).spec,
    problems: async () =>
      (await state.list(diagnostics)).map(({ metadata: { id }, spec }) => ({ id, ...spec })),
    ntp: async () => (await state.get(pointerTo(ntpStatuses, 'node'))).spec,
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  };
}

test('a whole machine waits until a time server confirms its clock', async () => {
  await using time = await openTime('machine');
  await time.servers('a', 'b');
  assert.deepEqual(await time.status(), { synced: false, epoch: 0, syncDisabled: false });
  assert.deepEqual(time.asked, ['a', 'b']);
  time.offsets.set('b', 12);
  await time.advance(5000);
  assert.deepEqual(await time.status(), { synced: true, epoch: 0, syncDisabled: false });
  assert.deepEqual(time.asked, ['a', 'b', 'a', 'b']);
});

test('a clock that is wrong by hours is not confirmed', async () => {
  await using time = await openTime('machine');
  time.offsets.set('a', -3 * 3_600_000);
  await time.servers('a');
  assert.equal((await time.status()).synced, false);
});

test('a clock that was confirmed stays trusted when it is wrong by more later, until the next start', async () => {
  await using time = await openTime('machine');
  time.offsets.set('a', 3);
  await time.servers('a');
  // As a clock with an error of 100 ppm after 104 days.
  time.offsets.set('a', 16 * 60_000);
  const asked = time.asked.length;
  await time.advance(10 * 8 * 60_000);
  assert.ok(time.asked.length >= asked + 10);
  assert.deepEqual(await time.status(), { synced: true, epoch: 0, syncDisabled: false });
});

test('a whole machine stops waiting after the timeout in its configuration', async () => {
  await using time = await openTime('machine');
  await time.configure('apiVersion: v1alpha1\nkind: TimeSyncConfig\nbootTimeout: 30s\n');
  await time.servers('a');
  await time.advance(29_000);
  assert.equal((await time.status()).synced, false);
  await time.advance(1000);
  assert.equal((await time.status()).synced, true);
});

test('without synchronization the clock is trusted, and no server is queried', async () => {
  await using time = await openTime('machine');
  await time.configure('apiVersion: v1alpha1\nkind: TimeSyncConfig\nenabled: false\n');
  time.asked.length = 0;
  await time.servers('a');
  assert.deepEqual(await time.status(), { synced: true, epoch: 0, syncDisabled: true });
  assert.deepEqual(time.asked, []);
});

test('a machine that can ask no time server says once what follows from that', async () => {
  await using time = await openTime('machine');
  const spec = { timeServers: ['a'], useNTS: true };
  await time.put(timeServerStatuses, 'timeservers', spec);
  await time.advance(10 * 60_000);
  const warned = () => time.logged.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
  assert.deepEqual(time.asked, []);
  assert.equal((await time.status()).synced, false);
  assert.equal(warned().length, 1);
  assert.match(String(warned()[0]), /no time server is asked and the clock counts as not synchronised: /);
  await time.servers('/dev/ptp0');
  await time.servers('a');
  assert.deepEqual([warned().length, time.asked], [2, ['a']]);
});

const complete = 'version: v1alpha1\nmachine: {}\n';

test('a machine whose configuration names no time server asks the default one without NTS, and says so once', async () => {
  await using time = await openTime('machine');
  await time.configure(complete);
  const [{ timeServers, useNTS } = assert.fail('no default')] = timeServerLayers(undefined);
  await time.put(timeServerStatuses, 'timeservers', { timeServers, useNTS });
  await time.advance(10 * 60_000);
  const warned = time.logged.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
  assert.deepEqual(warned, [
    'NTS is not implemented, so the default time server is asked without it, and its answers are not authenticated',
  ]);
  assert.ok(time.asked.length > 1);
  assert.deepEqual([...new Set(time.asked)], ['time.cloudflare.com']);
});

test('a default server that somebody chose is asked without a word', async () => {
  await using time = await openTime('machine');
  await time.configure(
    `${complete}---\napiVersion: v1alpha1\nkind: TimeSyncConfig\nntp: { servers: [time.cloudflare.com] }\n`,
  );
  await time.servers('time.cloudflare.com');
  assert.deepEqual(time.asked, ['time.cloudflare.com']);
  assert.deepEqual(
    time.logged.filter(({ level }) => level === 'warn'),
    [],
  );
});

test('a machine that waits for a time server says why until one confirms its clock', async () => {
  await using time = await openTime('machine');
  await time.servers('a', 'b');
  // In maintenance nothing waits for the time.
  assert.deepEqual(await time.problems(), []);
  await time.configure(complete);
  const waiters = 'etcd, trustd and the kubelet wait for it';
  const remedy = 'name time servers that answer in TimeSyncConfig ntp.servers; enabled: false ends the wait';
  assert.deepEqual(await time.problems(), [
    {
      id: 'time-sync',
      message: 'the clock is not synchronised: time server "a": no answer from a',
      details: ['time server "b": no answer from b', waiters, remedy],
    },
  ]);
  time.offsets.set('b', 3 * 3_600_000);
  await time.advance(5000);
  assert.deepEqual(await time.problems(), [
    {
      id: 'time-sync',
      message: 'the clock is not synchronised: it differs from time server "b" by 10800 s',
      details: [waiters, remedy],
    },
  ]);
  await time.put(timeServerStatuses, 'timeservers', { timeServers: ['a'], useNTS: true });
  await time.settled();
  assert.match(String((await time.problems())[0]?.message), /no time server is asked, because NTS/);
  time.offsets.set('c', 7);
  await time.servers('c');
  assert.deepEqual(await time.problems(), []);
});

test('only a machine says that its clock waits', async () => {
  for (const name of ['process', 'stack', 'container'] as const) {
    await using time = await openTime(name);
    await time.configure(complete);
    await time.servers('a');
    assert.deepEqual(await time.problems(), [], name);
  }
});

test('a container trusts the clock of its host and queries no server', async () => {
  await using time = await openTime('container');
  await time.servers('a');
  assert.deepEqual(await time.status(), { synced: true, epoch: 0, syncDisabled: true });
  assert.deepEqual(time.asked, []);
});

test('a node of processes trusts the clock of its host, and queries servers all the same', async () => {
  await using time = await openTime('process');
  await time.servers('a');
  assert.deepEqual(await time.status(), { synced: true, epoch: 0, syncDisabled: false });
  assert.deepEqual(time.asked, ['a']);
});

test('failed queries back off, and new servers are queried immediately', async () => {
  await using time = await openTime('process');
  await time.servers('a');
  await time.advance(5000 + 10_000 + 20_000 - 1);
  assert.equal(time.asked.length, 3);
  await time.advance(1);
  assert.equal(time.asked.length, 4);
  await time.servers('b');
  assert.deepEqual(time.asked.slice(4), ['b']);
});

test('a server that answers is queried every eight minutes, and a single outlier is reported as a spike', async () => {
  await using time = await openTime('process');
  time.offsets.set('a', 3);
  await time.servers('a');
  await time.advance(4 * 8 * 60_000);
  assert.equal(time.asked.length, 5);
  assert.deepEqual(await time.ntp(), { spikeDetected: false, consecutiveSpikes: 0 });
  time.offsets.set('a', 5000);
  await time.advance(8 * 60_000);
  assert.deepEqual(await time.ntp(), { spikeDetected: true, consecutiveSpikes: 1 });
  time.offsets.set('a', 4);
  await time.advance(8 * 60_000);
  assert.deepEqual(await time.ntp(), { spikeDetected: false, consecutiveSpikes: 0 });
});

test('a clock jump starts a new epoch within a minute', async () => {
  await using time = await openTime('process');
  time.offsets.set('a', 3);
  await time.servers('a');
  time.jump(16 * 60_000);
  await time.advance(60_000);
  assert.equal((await time.status()).epoch, 1);
  time.jump(-10 * 60_000);
  await time.advance(60_000);
  assert.equal((await time.status()).epoch, 1);
});
