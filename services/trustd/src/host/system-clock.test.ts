import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import type { ServerConnection } from '@nodewright/h2';
import { Connections } from './connections.ts';
import { systemClock } from './system-clock.ts';

/** The timers of this process that have not fired. */
const openTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

test('systemClock.sleep() ends after its time, at an abort, and at once with an aborted signal', async () => {
  const stop = new AbortController();
  const beganMs = systemClock.nowMs();
  await systemClock.sleep(5, stop.signal);
  assert.ok(systemClock.nowMs() - beganMs >= 4);
  const timers = openTimers();
  const sleeping = systemClock.sleep(3_600_000, stop.signal);
  stop.abort();
  await sleeping;
  await systemClock.sleep(3_600_000, stop.signal);
  assert.equal(openTimers(), timers);
});

test('systemClock.sleep() leaves no listener at a signal that stays', async () => {
  const { signal } = new AbortController();
  for (let sleep = 0; sleep < 20; sleep += 1) await systemClock.sleep(0, signal);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('Connections keeps one listener for a node that calls for a long time, with the sleeps of the real clock', async () => {
  const signals = new Set<AbortSignal>();
  let sleeps = 0;
  const enough = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const peer = { group: 'a', isTrusted: true, lastCallMs: 0 };
  const connections = new Connections({
    clock: {
      // Stands still: the node has called just now, however late a sleep ends on a busy machine.
      nowMs: () => 0,
      sleep(durationMs, signal) {
        signals.add(signal);
        sleeps += 1;
        if (sleeps === 30) enough.resolve();
        return systemClock.sleep(durationMs, signal);
      },
    },
    limits: { connections: 4, anonymous: 3, anonymousPerGroup: 2, anonymousMs: 1, silentMs: 1 },
  });
  const connection: Pick<ServerConnection, 'destroy' | 'closed'> = {
    closed: closed.promise,
    destroy: () => closed.resolve(),
  };
  connections.add(connection as ServerConnection, peer);
  try {
    await enough.promise;
    assert.deepEqual(
      [...signals].map((signal) => getEventListeners(signal, 'abort').length),
      [1],
    );
  } finally {
    closed.resolve();
  }
});
