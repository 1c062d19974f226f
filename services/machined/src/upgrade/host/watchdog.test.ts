import assert from 'node:assert/strict';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeTimers } from '@nodewright/controllers/testing';
import { loadNativeCalls } from '@nodewright/linux';
import { openWatchdog, startLimitMs, watchdogDevice } from './watchdog.ts';

function pass(timers: FakeTimers, ms: number): void {
  const untilMs = timers.now() + ms;
  while (timers.step(untilMs));
}

function open(descriptor: number | undefined = 7) {
  const timers = new FakeTimers(0);
  const done: string[] = [];
  const device = {
    closeOnExec: (to: number) => void done.push(`kept from programs: ${to}`),
    write: (to: number, text: string) => void done.push(`${to}: ${text === '\0' ? 'fed' : text}`),
    close: (to: number) => void done.push(`close ${to}`),
  };
  const log = { info() {}, warn() {} } as never;
  return { timers, done, device, watchdog: openWatchdog({ descriptor, timers, log, device }) };
}

test('a watchdog is fed at once and several times within its minute, and stopped by the magic character', () => {
  const { timers, done, watchdog } = open();
  assert.deepEqual(done.splice(0), ['kept from programs: 7', '7: fed']);
  pass(timers, 60_000);
  assert.equal(done.length, 6);
  done.length = 0;
  watchdog.stop();
  watchdog.stop();
  assert.deepEqual(done, ['7: V', 'close 7']);
  pass(timers, 60_000);
  assert.equal(done.length, 2);
});

test('a start that does not come to its trial is fed for ten minutes, and reset then', () => {
  const { timers, done } = open();
  pass(timers, startLimitMs - 1);
  assert.equal(done.length, 61);
  pass(timers, 10 * startLimitMs);
  assert.equal(done.length, 61);
});

test('a trial that has begun, and a machine that is to restart, do not have the limit of the start', () => {
  const trial = open();
  trial.watchdog.trialBegins();
  pass(trial.timers, 2 * startLimitMs);
  assert.equal(trial.done.length, 2 + 120);
  const restart = open();
  pass(restart.timers, startLimitMs - 1);
  restart.watchdog.endAfter(25_000);
  pass(restart.timers, startLimitMs);
  assert.equal(restart.done.length, 61 + 3);
});

test('a watchdog that cannot be stopped is fed on: it would reset a machine that is confirmed', () => {
  const { timers, done, watchdog, device } = open();
  const { write } = device;
  device.write = (to, text) => {
    if (text === 'V') throw new Error('EIO');
    write(to, text);
  };
  watchdog.stop();
  done.length = 0;
  pass(timers, 2 * startLimitMs);
  assert.equal(done.length, 120);
});

test('a watchdog is not fed any more when the machine was to restart, and is left to reset it', () => {
  const { timers, done, watchdog } = open();
  watchdog.endAfter(25_000);
  pass(timers, 120_000);
  assert.deepEqual(done.slice(1), ['7: fed', '7: fed', '7: fed']);
});

test('a machine without a trial has no watchdog', () => {
  const done: string[] = [];
  const watchdog = openWatchdog({
    ...{ descriptor: undefined, timers: new FakeTimers(0), log: {} as never },
    device: {
      closeOnExec: () => void done.push('keep'),
      write: () => void done.push('write'),
      close: () => void done.push('close'),
    },
  });
  watchdog.stop();
  watchdog.endAfter(1);
  assert.deepEqual(done, []);
});

test('the device is a descriptor that no program inherits', async () => {
  const [folder, calls] = [mkdtempSync(join(tmpdir(), 'watchdog-')), await loadNativeCalls()];
  const descriptor = openSync(join(folder, 'device'), 'w+');
  const device = watchdogDevice(calls);
  const flags = () =>
    /flags:\s+(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1] ?? '';
  device.closeOnExec(descriptor);
  assert.ok((Number.parseInt(flags(), 8) & 0o2000000) !== 0, flags());
  device.write(descriptor, 'V');
  device.close(descriptor);
  assert.equal(readFileSync(join(folder, 'device'), 'utf8'), 'V');
  rmSync(folder, { recursive: true });
});
