import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { FakeTimers } from '@nodewright/controllers/testing';
import { awaitDevices } from './await-devices.ts';

/** Lists the devices of a machine that follows them after some time, and publishes them a second later. */
async function listFrom(followsAfterMs: number | undefined, device: string | undefined) {
  const timers = new FakeTimers(0);
  let waits = 0;
  const isPast = (ms: number) => followsAfterMs !== undefined && timers.monotonicMs() >= followsAfterMs + ms;
  let isDone = false;
  const listed = awaitDevices({
    list: async () => (device !== undefined && isPast(1000) ? [device] : []),
    areFollowed: async () => (followsAfterMs === -1 ? undefined : isPast(0)),
    onWait: () => {
      waits += 1;
    },
    timers,
    signal: new AbortController().signal,
  }).finally(() => {
    isDone = true;
  });
  listed.catch(() => {});
  while (!isDone) {
    await turn();
    timers.step(timers.now() + 100);
  }
  const result = await listed.catch((error: Error) => error.message);
  return { result, waits, seconds: Math.floor(timers.monotonicMs() / 1000) };
}

test('disks of a machine that starts are waited for, and the wait is announced once', async () => {
  assert.deepEqual(await listFrom(30_000, 'vda'), { result: ['vda'], waits: 1, seconds: 31 });
});

test('a machine that follows its devices and has no disk is believed', async () => {
  const { result, seconds } = await listFrom(0, undefined);
  assert.deepEqual([result, seconds], [[], 3]);
});

test('a node that cannot be asked is not waited for', async () => {
  assert.deepEqual(await listFrom(-1, undefined), { result: [], waits: 0, seconds: 0 });
});

test('a machine that never reads its devices is an error after 60 s, not an empty table', async () => {
  assert.deepEqual(await listFrom(undefined, 'vda'), {
    result: 'the machine has not read its devices after 60 s',
    waits: 1,
    seconds: 60,
  });
});
