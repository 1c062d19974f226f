import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeviceEvent } from '../domain/device-event.ts';
import { EventLog } from './event-log.ts';

const limits = { historyEvents: 1000, historyBytes: 1_000_000, responseEvents: 10, responseBytes: 10_000 };
const event = (name: string, subsystem = 'net'): DeviceEvent => ({
  ...{ source: 'kernel', action: 'add', path: `/devices/${name}`, subsystem },
  properties: Buffer.from('A=b\0'),
});
const all = () => true;
const never = new AbortController().signal;

test('a consumer gets an empty batch at once, and then each event', async () => {
  const log = new EventLog(limits);
  log.add(event('before'));
  const stream = log.follow(undefined, all, never);
  assert.deepEqual((await stream.next()).value, { events: [], gap: undefined, through: 1 });
  const next = stream.next();
  log.add(event('a'));
  assert.deepEqual(
    (await next).value?.events.map(({ sequence }: { sequence: number }) => sequence),
    [2],
  );
});

test('events between the first batch and the next request are not lost', async () => {
  const log = new EventLog(limits);
  const stream = log.follow(undefined, all, never);
  await stream.next();
  for (let count = 0; count < 25; count += 1) log.add(event(`${count}`));
  const sizes = [await stream.next(), await stream.next(), await stream.next()].map(
    ({ value }) => value?.events.length,
  );
  assert.deepEqual(sizes, [10, 10, 5]);
});

test('a consumer that does not read neither fills the memory nor delays another one', async () => {
  const log = new EventLog(limits);
  const slow = log.follow(undefined, all, never);
  const fast = log.follow(undefined, all, never);
  await Promise.all([slow.next(), fast.next()]);
  let got = 0;
  for (let count = 0; count < 5000; count += 1) {
    log.add(event(`${count}`));
    if (count % 10 === 9) got += (await fast.next()).value?.events.length ?? 0;
  }
  assert.equal(got, 5000);
  const late = (await slow.next()).value;
  assert.deepEqual([late?.gap, late?.events[0]?.sequence], ['history-too-short', 4001]);
});

test('a consumer continues after its position, and a restart of the daemon is a gap', async () => {
  const log = new EventLog(limits);
  for (const name of ['a', 'b', 'c']) log.add(event(name));
  const { history } = log.position;
  const first = async (log2: EventLog, sequence: number) =>
    (await log2.follow({ history, sequence }, all, never).next()).value;
  assert.deepEqual(
    (await first(log, 1))?.events.map(({ sequence }: { sequence: number }) => sequence),
    [2, 3],
  );
  assert.deepEqual(await first(new EventLog(limits), 1), { events: [], gap: 'other-history', through: 0 });
});

test('dropped events are counted, and a gap for consumers that wait', async () => {
  const log = new EventLog(limits);
  const stream = log.follow(undefined, () => false, never);
  await stream.next();
  log.add(event('unwanted'));
  const next = stream.next();
  log.addLoss();
  assert.deepEqual([(await next).value?.gap, log.drops], ['kernel-dropped', 1]);
});

test('a stream ends with its signal', async () => {
  const stop = new AbortController();
  const stream = new EventLog(limits).follow(undefined, all, stop.signal);
  await stream.next();
  const end = stream.next();
  stop.abort();
  assert.deepEqual(await end, { done: true, value: undefined });
});
