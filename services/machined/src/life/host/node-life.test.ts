import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { FakeTimers } from '@nodewright/controllers/testing';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { planReset } from '../domain/plan-reset.ts';
import { EventStore } from './event-store.ts';
import { NodeLife, type NodeLifeInit, watchDelayMs } from './node-life.ts';

const plan = planReset({ graceful: true, reboot: true, mode: 'all', partitions: [], userDisks: [] });

function nodeLife(change: Partial<NodeLifeInit> = {}) {
  const steps: string[] = [];
  const does = (step: string) => async () => void steps.push(step);
  const events = new EventStore(() => 0);
  const timers = new FakeTimers();
  const life = new NodeLife({
    events,
    log: createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' }),
    timers,
    records: () => [],
    stopServices: does('stop'),
    sendResetSignal: does('signal'),
    wipe: does('wipe'),
    end: (end) => void steps.push(`ends: ${end}`),
    ...change,
  });
  /** The options of an action that begins at once. */
  const skipDelay = () => timers.step(timers.now() + watchDelayMs);
  return { life, steps, does, events, timers, skipDelay };
}

test('a sequence that is refused does not end the machine that another one is ending', async () => {
  const stopped = Promise.withResolvers<void>();
  const { life, steps, skipDelay } = nodeLife({ stopServices: () => stopped.promise });
  const first = life.reset(plan, 'a');
  skipDelay();
  await life.reset(plan, 'b');
  assert.deepEqual(steps, ['signal']);
  stopped.resolve();
  await first;
  assert.deepEqual(steps, ['signal', 'wipe', 'ends: reboot']);
});

test('a machine whose services were stopped and whose sequence failed restarts', async () => {
  const fails = async () => {
    throw new Error('no');
  };
  const { life, steps, skipDelay } = nodeLife({ wipe: fails });
  const over = life.reset(plan, 'a');
  skipDelay();
  await over;
  assert.deepEqual(steps, ['signal', 'stop', 'ends: reboot']);
});

test('a machine that cannot leave etcd continues, and no controller is notified of a reset', async () => {
  const { life, steps, skipDelay } = nodeLife({
    leaveEtcd: () => async () => {
      throw new Error('the last voter');
    },
  });
  const over = life.reset(plan, 'a');
  skipDelay();
  await over;
  assert.deepEqual(steps, []);
});

test('a forced shutdown and a signal drain nothing, and a forced one ends a drain that lasts', async () => {
  const drained = Promise.withResolvers<void>();
  const { life, steps, skipDelay } = nodeLife({
    drain: async (signal) => {
      signal.addEventListener('abort', () => drained.reject(signal.reason));
      await drained.promise;
    },
  });
  const first = life.shutDown('a');
  skipDelay();
  await turn();
  const second = life.shutDown('b', true);
  await first;
  await turn();
  skipDelay();
  await second;
  assert.deepEqual(steps, ['stop', 'ends: power-off']);
  const signalled = nodeLife({ drain: () => assert.fail('nobody waits for it') });
  await signalled.life.stop();
  assert.deepEqual(signalled.steps, ['stop']);
});

test('a machine that writes a new system can be shut down meanwhile', async () => {
  const { life, steps, skipDelay } = nodeLife();
  const upgrade = life.upgrade('graceful', 'a', () => new Promise(() => {}));
  skipDelay();
  await turn();
  const shutdown = life.shutDown('b');
  await turn();
  skipDelay();
  // Without time that passes: nothing waits for the upgrade.
  for (let turns = 0; turns < 10; turns += 1) await turn();
  skipDelay();
  for (let turns = 0; turns < 10; turns += 1) await turn();
  assert.deepEqual(steps, ['stop', 'ends: power-off']);
  await Promise.all([upgrade, shutdown]);
});

test('an action that ends the machine begins a second after its call, so that its caller can follow it', async () => {
  for (const act of [
    (life: NodeLife) => life.shutDown('a'),
    (life: NodeLife) => life.reboot('graceful', 'a'),
    (life: NodeLife) => life.reset(plan, 'a'),
  ]) {
    const { life, steps, events, timers } = nodeLife();
    const over = act(life);
    timers.step(timers.now() + watchDelayMs - 1);
    await turn();
    assert.deepEqual([events.ring.end, steps], [events.ring.start, []]);
    timers.step(timers.now() + 1);
    await over;
    assert.ok(events.ring.end > events.ring.start && steps.at(-1)?.startsWith('ends:'));
  }
});

test('a node whose process receives SIGTERM stops at once, and the signal decides how the machine ends', async () => {
  const { life, steps } = nodeLife();
  await life.stop();
  assert.deepEqual(steps, ['stop']);
  const fails = nodeLife({ stopServices: () => Promise.reject(new Error('no')) });
  await fails.life.stop();
  assert.deepEqual(fails.steps, []);
});

test('a shutdown that takes over while a node stops after a signal decides how the machine ends', async () => {
  const stopped = Promise.withResolvers<void>();
  const { life, steps, skipDelay } = nodeLife({ stopServices: () => stopped.promise });
  const signalled = life.stop();
  await turn();
  const shutDown = life.shutDown('a', true);
  await signalled;
  await turn();
  skipDelay();
  stopped.resolve();
  await shutDown;
  assert.deepEqual(steps, ['ends: power-off']);
});

/** Passes time, and lets what waits for it go on. */
async function passTime(timers: FakeTimers, ms: number): Promise<void> {
  const settle = async () => {
    for (let turns = 0; turns < 20; turns += 1) await turn();
  };
  const untilMs = timers.now() + ms;
  await settle();
  while (timers.step(untilMs)) await settle();
}

test('a restart that another sequence refuses is requested again until it is done', async () => {
  const written = Promise.withResolvers<void>();
  const { life, steps, timers } = nodeLife();
  const upgrade = life.upgrade('graceful', 'a', () => written.promise);
  await passTime(timers, watchDelayMs);
  let ids = 0;
  const restart = life.restartUntilDone('power-cycle', () => `restart-${++ids}`);
  await passTime(timers, 25_000);
  assert.deepEqual([ids, steps], [3, []], 'refused three times, 10 s apart');
  written.reject(new Error('no'));
  await passTime(timers, 10_000 + watchDelayMs);
  await Promise.all([upgrade, restart]);
  assert.deepEqual(steps, ['stop', 'ends: reboot']);
});

test('a restart is forced when other sequences hold it up for four minutes, also one that does not end', async () => {
  const minutes = 60_000;
  const never = new Promise<void>(() => {});
  const { life, steps, timers } = nodeLife({ stopServices: () => never, wipe: () => never });
  // It is left, because the sequence ends when it is cancelled.
  void life.upgrade('graceful', 'a', () => never);
  await passTime(timers, watchDelayMs);
  const restart = life.restartUntilDone('power-cycle', () => 'b');
  await passTime(timers, 4 * minutes - 1);
  assert.deepEqual(steps, []);
  await passTime(timers, 1);
  await restart;
  assert.deepEqual(steps, ['ends: reboot']);

  const stuck = nodeLife();
  // A task that takes no notice of its cancellation.
  void stuck.life.install(() => never).catch(() => {});
  const end = stuck.life.restartUntilDone('power-cycle', () => 'b');
  await passTime(stuck.timers, 5 * minutes);
  await end;
  assert.deepEqual(stuck.steps, ['ends: reboot']);
});

test('a restart that is requested until it is done ends with the node, and is not requested twice at a time', async () => {
  const { life, steps, timers } = nodeLife();
  void life.install(() => new Promise(() => {})).catch(() => {});
  let ids = 0;
  const first = life.restartUntilDone('power-cycle', () => `${++ids}`);
  const second = life.restartUntilDone('graceful', () => `${++ids}`);
  await passTime(timers, 1000);
  assert.equal(ids, 1);
  const stopped = life.stop();
  await passTime(timers, 61_000);
  await Promise.all([first, second, stopped]);
  assert.deepEqual([steps.filter((step) => step.startsWith('ends')), ids, timers.nextMs], [[], 1, undefined]);
});

test('what has to know that the machine stops learns it when its services are to stop, however it ends, but not of a reset', async () => {
  const minute = 60_000;
  for (const [act, knows] of [
    [(life: NodeLife) => life.reboot('graceful', 'a'), true],
    [(life: NodeLife) => life.reboot('power-cycle', 'a'), true],
    [(life: NodeLife) => life.shutDown('a'), true],
    [(life: NodeLife) => life.stop(), true],
    [(life: NodeLife) => life.reset(plan, 'a'), false],
  ] as const) {
    let known = 0;
    const { life, timers } = nodeLife({
      stopServices: () => new Promise(() => {}),
      machineStops: () => {
        known += 1;
      },
    });
    void act(life);
    await passTime(timers, minute);
    assert.equal(known, knows ? 1 : 0);
  }
});
