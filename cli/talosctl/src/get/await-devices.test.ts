import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { unlessAborted } from '@nodewright/async';
import { FakeTimers } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import { awaitDevices } from './await-devices.ts';

/** The limit of a command, by the clock of the test. */
function limitOf(timers: FakeTimers, ms: number) {
  const over = new AbortController();
  const { signal } = over;
  timers.after(ms, () => over.abort());
  return {
    ...{ signal, text: `${ms / 1000} s` },
    get isOver() {
      return signal.aborted;
    },
    guard: <T>(work: Promise<T>) =>
      unlessAborted(work, signal).catch((error: unknown) => {
        throw signal.aborted ? new Fault('deadline-exceeded', `no answer within ${ms / 1000} s`) : error;
      }),
  };
}

interface Machine {
  /** When it says that its devices were read; undefined for a node that says nothing, Infinity for never. */
  readonly readAfterMs: number | undefined;
  /** When its devices are resources. */
  readonly publishedAfterMs?: number;
  /** From when on it answers no call. */
  readonly hangsAfterMs?: number;
}

async function listFrom({ readAfterMs, publishedAfterMs = Infinity, hangsAfterMs = Infinity }: Machine) {
  const timers = new FakeTimers(0);
  let waits = 0;
  let isDone = false;
  const isPast = (ms: number) => timers.monotonicMs() >= ms;
  const answer = async <T>(value: T) => (isPast(hangsAfterMs) ? new Promise<T>(() => {}) : value);
  const listed = awaitDevices({
    list: () => answer(isPast(publishedAfterMs) ? ['vda'] : []),
    areRead: () => answer(readAfterMs === undefined ? undefined : isPast(readAfterMs)),
    onWait: () => {
      waits += 1;
    },
    ...{ timers, limit: limitOf(timers, 60_000) },
  }).finally(() => {
    isDone = true;
  });
  listed.catch(() => {});
  for (let steps = 0; !isDone && steps < 2000; steps += 1) {
    await turn();
    timers.step(timers.now() + 100);
  }
  assert.ok(isDone, 'the wait has no end');
  const result = await listed.catch((error: Error) => error.message);
  return { result, waits, seconds: Math.floor(timers.monotonicMs() / 1000) };
}

test('disks of a machine that starts are waited for, and the wait is announced once', async () => {
  assert.deepEqual(await listFrom({ readAfterMs: 30_000, publishedAfterMs: 31_000 }), {
    ...{ result: ['vda'], waits: 1, seconds: 31 },
  });
});

test('a machine that has read its devices and has no disk is believed', async () => {
  const { result, seconds } = await listFrom({ readAfterMs: 0 });
  assert.deepEqual([result, seconds], [[], 3]);
});

test('a machine that reads its devices when the time is nearly over is believed, too', async () => {
  const { result, seconds } = await listFrom({ readAfterMs: 58_500 });
  assert.deepEqual([result, seconds], [[], 60]);
});

test('a node that cannot be asked is not waited for', async () => {
  assert.deepEqual(await listFrom({ readAfterMs: undefined }), { result: [], waits: 0, seconds: 0 });
});

test('a machine that never reads its devices is an error after 60 s, not an empty table', async () => {
  assert.deepEqual(await listFrom({ readAfterMs: Infinity }), {
    result: 'the machine has not read its devices after 60 s',
    ...{ waits: 1, seconds: 60 },
  });
});

test('a machine that stops answering is an error after 60 s', async () => {
  for (const hangsAfterMs of [0, 20_000]) {
    const { result, seconds } = await listFrom({ readAfterMs: Infinity, hangsAfterMs });
    assert.deepEqual([result, seconds], ['no answer within 60 s', 60]);
  }
});
