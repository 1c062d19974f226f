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
import { defaultTimeServer } from '../../base/domain/default-time-server.ts';
import { type WorldName, worlds } from '../../base/domain/world.ts';
import { timeControllers } from './time-controllers.ts';

const startMs = Date.UTC(2026, 0, 1);
const dayMs = 24 * 3_600_000;
const yearMs = 365 * dayMs;

interface FakeClock {
  readonly builtMs?: number;
  readonly wasBehind?: boolean;
  /** Whether the kernel refuses to set it. */
  readonly isRefused?: true;
}

async function openTime(name: WorldName, clock?: FakeClock) {
  const asked: string[] = [];
  /** Offsets by server; a server without one does not answer. */
  const offsets = new Map<string, number>();
  let now = () => startMs;
  /** Unix ms to which the clock was set. */
  const set: number[] = [];
  const node = openTestRuntime({
    nowMs: startMs,
    controllers: timeControllers({
      world: worlds[name],
      clock: clock && {
        ...{ builtMs: startMs - dayMs, wasBehind: false, ...clock },
        set(unixMs) {
          if (clock.isRefused) throw new Fault('permission-denied', 'clock_settime: EPERM');
          set.push(unixMs);
          const offsetMs = unixMs - node.timers.now();
          node.timers.stepClock(offsetMs);
          jump(offsetMs);
          for (const [server, offset] of offsets) offsets.set(server, offset - offsetMs);
        },
      },
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
  /** Moves the wall clock against the steady clock. */
  const jump = (ms: number) => {
    const before = now;
    now = () => before() - ms;
  };
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
    ...{ jump, set, now: () => node.timers.now() },
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
  await time.put(timeServerStatuses, 'timeservers', { timeServers: [defaultTimeServer], useNTS: false });
  await time.advance(10 * 60_000);
  const warned = time.logged.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
  assert.deepEqual(warned, [
    'NTS is not implemented, so the default time server is asked without it, and its answers are not authenticated',
  ]);
  assert.ok(time.asked.length > 1);
  assert.deepEqual([...new Set(time.asked)], [defaultTimeServer]);
});

test('the default server is asked neither in maintenance nor for a configuration that names others', async () => {
  const chosen = 'apiVersion: v1alpha1\nkind: TimeSyncConfig\nntp: { servers: [a] }\n';
  await using time = await openTime('machine', {});
  time.offsets.set('time.cloudflare.com', yearMs).set('a', 2 * yearMs);
  await time.servers('time.cloudflare.com');
  await time.advance(60_000);
  // The servers in force follow the configuration a moment later.
  await time.configure(`${complete}---\n${chosen}`);
  assert.deepEqual([time.asked, time.set], [[], []]);
  await time.servers('a');
  await time.advance(2000);
  assert.deepEqual(time.asked, ['a', 'a']);
  assert.equal(time.set.length, 1);
  assert.ok(time.now() > startMs + 2 * yearMs);
});

test('servers of before the configuration do not set the clock for it', async () => {
  const chosen = 'apiVersion: v1alpha1\nkind: TimeSyncConfig\nntp: { servers: [a] }\n';
  await using time = await openTime('machine', {});
  time.offsets.set('p', yearMs);
  await time.servers('p');
  await time.configure(`${complete}---\n${chosen}`);
  await time.advance(8 * 60_000);
  assert.ok(time.asked.length > 1);
  assert.deepEqual(time.set, []);
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

test('the first answer after the configuration sets the clock of a machine once, and confirms it', async () => {
  await using time = await openTime('machine', {});
  time.offsets.set('a', 14 * 60_000);
  await time.servers('a');
  // Without a configuration, nobody has said which server to believe.
  assert.deepEqual([time.set, (await time.status()).synced], [[], true]);
  await time.configure(complete);
  assert.deepEqual(time.set, [startMs + 14 * 60_000]);
  assert.deepEqual(await time.status(), { synced: true, epoch: 0, syncDisabled: false });
  assert.deepEqual(await time.problems(), []);
  time.offsets.set('a', 14 * 60_000);
  await time.advance(10 * 8 * 60_000);
  assert.equal(time.set.length, 1);
  assert.deepEqual(await time.problems(), []);
});

test('a step of 15 minutes or more waits until the same server answers alike a moment later', async () => {
  await using time = await openTime('machine', {});
  await time.configure(complete);
  time.offsets.set('a', 6 * yearMs);
  await time.servers('a');
  assert.deepEqual([time.set, (await time.status()).synced], [[], false]);
  assert.match(String((await time.problems())[0]?.message), /it differs from time server "a" by 189216000 s/);
  await time.advance(2000);
  assert.equal(time.set.length, 1);
  assert.ok(Math.abs(time.now() - (startMs + 6 * yearMs)) <= 2000);
  assert.deepEqual(await time.status(), { synced: true, epoch: 1, syncDisabled: false });
  assert.deepEqual(await time.problems(), []);
});

test('a step of 15 minutes or more needs no second answer of a server when another server agrees', async () => {
  await using time = await openTime('machine', {});
  await time.configure(complete);
  time.offsets.set('a', 6 * yearMs).set('b', 6 * yearMs + 3000);
  await time.servers('a', 'b');
  assert.deepEqual([time.asked, time.set.length, (await time.status()).synced], [['a', 'b'], 1, true]);
});

test('a single answer that nobody repeats never sets the clock by 15 minutes or more', async () => {
  for (const wrongMs of [9 * yearMs, -20 * 3_600_000]) {
    await using time = await openTime('machine', {});
    await time.configure(complete);
    time.offsets.set('a', wrongMs);
    await time.servers('a');
    time.offsets.set('a', 20);
    await time.advance(3_600_000);
    assert.deepEqual([time.set, (await time.status()).synced], [[], true]);
    assert.deepEqual(await time.problems(), []);
  }
});

test('two servers that contradict each other set nothing, and a third one decides', async () => {
  await using time = await openTime('machine', {});
  await time.configure(complete);
  time.offsets.set('a', 9 * yearMs).set('b', yearMs);
  await time.servers('a', 'b');
  await time.advance(3_600_000);
  assert.deepEqual([time.set, (await time.status()).synced], [[], false]);
  // They are asked with the pauses of servers that do not answer.
  assert.ok(time.asked.length < 2 * 70, `${time.asked.length} queries`);
  const [problem] = await time.problems();
  assert.match(String(problem?.message), /it differs from time server "b" by 31536000 s/);
  assert.match(String(problem?.details[0]), /it differs from time server "a" by 283824000 s/);
  time.offsets.set('c', yearMs);
  await time.servers('a', 'b', 'c');
  assert.deepEqual([time.set.length, (await time.status()).synced], [1, true]);
  assert.ok(Math.abs(time.now() - (startMs + 3_600_000 + yearMs)) < 1);
});

test('a server that finds the clock right outweighs one that differs by 15 minutes or more', async () => {
  await using time = await openTime('machine', {});
  await time.configure(complete);
  time.offsets.set('a', 9 * yearMs).set('b', 5);
  await time.servers('a', 'b');
  await time.advance(3_600_000);
  assert.deepEqual([time.set, (await time.status()).synced], [[], true]);
  assert.deepEqual(await time.problems(), []);
});

test('a clock that was set to a wrong time is reported, and set again after three answers that agree', async () => {
  await using time = await openTime('machine', {});
  await time.configure(complete);
  time.offsets.set('a', 9 * yearMs);
  await time.servers('a');
  await time.advance(2000);
  assert.equal(time.set.length, 1);
  time.offsets.set('a', -9 * yearMs);
  await time.advance(2 * 8 * 60_000);
  assert.equal(time.set.length, 1);
  assert.deepEqual(await time.problems(), [
    {
      id: 'time-sync',
      message: 'the clock is not synchronised: it differs from time server "a" by -283824000 s',
      details: [
        'it was confirmed before, so services run with it; it is set when the time servers agree against it for 15 minutes',
        'compare it with a clock that you trust, and name time servers that you trust in TimeSyncConfig ntp.servers',
      ],
    },
  ]);
  // A server that falls silent does not make the clock right.
  time.offsets.delete('a');
  await time.advance(5 * 60_000);
  assert.match(String((await time.problems())[0]?.message), /by -283824000 s/);
  time.offsets.set('a', -9 * yearMs);
  await time.advance(2 * 8 * 60_000);
  assert.equal(time.set.length, 2);
  assert.ok(time.now() < startMs + dayMs);
  assert.deepEqual(await time.status(), { synced: true, epoch: 2, syncDisabled: false });
  assert.deepEqual(await time.problems(), []);
});

test('later answers that contradict each other leave the clock alone', async () => {
  await using time = await openTime('machine', {});
  await time.configure(complete);
  time.offsets.set('a', 5);
  await time.servers('a');
  for (let round = 0; round < 20; round += 1) {
    time.offsets.set('a', (1 + (round % 3)) * yearMs);
    await time.advance(8 * 60_000);
  }
  assert.deepEqual(time.set, []);
  assert.match(String((await time.problems())[0]?.message), /it differs from time server "a"/);
  time.offsets.set('a', 5);
  await time.advance(8 * 60_000);
  assert.deepEqual(await time.problems(), []);
});

test('a first answer that finds the clock right leaves it, and no later one sets it', async () => {
  await using time = await openTime('machine', {});
  await time.configure(complete);
  time.offsets.set('a', 127);
  await time.servers('a');
  assert.equal((await time.status()).synced, true);
  time.offsets.set('a', 5000);
  await time.advance(10 * 8 * 60_000);
  assert.deepEqual(time.set, []);
});

test('an answer before the build of the image or ten years after it is refused and reported, and the next server is asked', async () => {
  const builtMs = Date.UTC(2025, 5, 1);
  const lastMs = Date.UTC(2035, 5, 1);
  await using time = await openTime('machine', { builtMs });
  await time.configure(complete);
  for (const [wrongMs, reason] of [
    [builtMs - 2 * dayMs, 'it is more than a day before the build of this image, 2025-06-01T00:00:00.000Z'],
    [lastMs + dayMs, 'it is more than 10 years after the build of this image, 2025-06-01T00:00:00.000Z'],
  ] as const) {
    time.offsets.set('a', wrongMs - time.now());
    await time.servers('a');
    assert.deepEqual([time.set, (await time.status()).synced], [[], false]);
    const [problem] = await time.problems();
    assert.equal(
      problem?.message,
      `the clock is not synchronised: the answer of time server "a" is refused: ${reason}`,
    );
    // A server that is refused again is not logged again.
    await time.advance(5 * 60_000);
    await time.servers('b');
  }
  const refusals = time.logged.filter(({ msg }) => msg === 'the answer of a time server is refused');
  assert.equal(refusals.length, 2);
  time.offsets.set('a', builtMs - 2 * dayMs - time.now());
  time.offsets.set('b', lastMs - dayMs - time.now());
  await time.servers('a', 'b');
  await time.advance(2000);
  assert.deepEqual([time.set.length, new Date(time.now()).getUTCFullYear()], [1, 2035]);
  assert.equal((await time.status()).synced, true);
});

test('a clock that the kernel does not let machined set is reported, and stays unconfirmed', async () => {
  await using time = await openTime('machine', { isRefused: true });
  await time.configure(complete);
  time.offsets.set('a', yearMs);
  await time.servers('a');
  await time.advance(3_600_000);
  assert.deepEqual([time.set, (await time.status()).synced], [[], false]);
  const errors = time.logged.filter(({ level }) => level === 'error');
  assert.equal(errors[0]?.msg, 'the clock could not be set');
  assert.ok(errors.length < 10);
  assert.match(String((await time.problems())[0]?.message), /it differs from time server "a" by 31536000 s/);
});

test('a machine without an answer goes on after bootTimeout, with a diagnostic', async () => {
  await using time = await openTime('machine', { wasBehind: true });
  await time.configure(`${complete}---\napiVersion: v1alpha1\nkind: TimeSyncConfig\nbootTimeout: 30s\n`);
  await time.servers('a');
  await time.advance(30_000);
  assert.equal((await time.status()).synced, true);
  assert.deepEqual((await time.problems())[0]?.details.slice(0, 2), [
    'bootTimeout has passed, so services run with the time of this machine',
    'the clock was before the build of the image, and was set to it',
  ]);
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
