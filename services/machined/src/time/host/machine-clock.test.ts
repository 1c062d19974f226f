import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { openMachineClock } from './machine-clock.ts';

const built = '2026-03-01T12:00:00.000Z';
const builtMs = Date.parse(built);

function openClock(nowMs: number, given: { readonly built?: string; readonly isRefused?: true } = {}) {
  const set: number[] = [];
  const logged: string[] = [];
  const destination = { write: (line: string) => void logged.push(JSON.parse(line).level) };
  const clock = openMachineClock({
    calls: {
      setRealTimeClock(unixMs) {
        if (given.isRefused) throw new Fault('permission-denied', 'clock_settime: EPERM');
        set.push(unixMs);
      },
    },
    built: given.built ?? built,
    now: () => nowMs,
    log: createLogger({ name: 'test', telemetry: noTelemetry, destination }),
  });
  return { clock, set, logged };
}

test('a clock before the build of the image is set to it at the start, and others are left alone', () => {
  const old = openClock(Date.UTC(2020, 0, 1));
  assert.deepEqual([old.set, old.clock.wasBehind, old.clock.builtMs], [[builtMs], true, builtMs]);
  assert.deepEqual(old.logged, ['warn']);
  for (const nowMs of [builtMs, builtMs + 1, Date.UTC(2040, 0, 1)]) {
    const { clock, set, logged } = openClock(nowMs);
    assert.deepEqual([set, clock.wasBehind, logged], [[], false, []]);
  }
});

test('a machine whose image does not say when it was built keeps its clock', () => {
  const { clock, set } = openClock(0, { built: '' });
  assert.deepEqual([set, clock.wasBehind, clock.builtMs], [[], false, undefined]);
});

test('a machine whose kernel refuses to set the clock starts all the same', () => {
  const { clock, logged } = openClock(0, { isRefused: true });
  assert.deepEqual([clock.wasBehind, logged], [true, ['error']]);
});

test('the clock is set to the given time', () => {
  const { clock, set } = openClock(builtMs);
  clock.set(builtMs + 1.5);
  assert.deepEqual(set, [builtMs + 1.5]);
});
