import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemWallClock } from '@nodewright/sntp';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { worlds } from '../base/domain/world.ts';
import { openTime } from './open-time.ts';

const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });
const openIn = (world: (typeof worlds)[keyof typeof worlds], calls?: { setRealTimeClock(): void }) =>
  openTime({ world, calls, clock: systemWallClock, servers: () => [], telemetry: noTelemetry, log });

test('only a machine whose first process is machined has a clock to set', () => {
  const sets: number[] = [];
  const calls = { setRealTimeClock: (unixMs: number) => void sets.push(unixMs) };
  for (const world of Object.values(worlds)) assert.equal('machineClock' in openIn(world), false, world.name);
  for (const world of [worlds.process, worlds.stack, worlds.container])
    assert.equal('machineClock' in openIn(world, calls as never), false, world.name);
  const { machineClock } = openIn(worlds.machine, calls as never);
  machineClock?.set(1_000_000_000_000);
  assert.deepEqual(sets, [1_000_000_000_000]);
});
