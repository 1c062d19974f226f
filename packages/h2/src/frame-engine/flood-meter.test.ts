import assert from 'node:assert/strict';
import { test } from 'node:test';
import { floodLimits } from './flood-limits.ts';
import { FloodMeter } from './flood-meter.ts';

const { burst, perSecond } = floodLimits.idleFrames;
const monthSeconds = 30 * 24 * 3600;

/** A meter with a virtual clock. `sent` is what the next bodies allow. */
function open() {
  const world = { nowMs: 0, sent: 0 };
  const takeAllowed = () => {
    const { sent } = world;
    world.sent = 0;
    return sent;
  };
  return { world, meter: new FloodMeter({ takeAllowed }, () => world.nowMs) };
}

/** How many frames the meter takes at once before it throws. */
function countUntilCut(meter: FloodMeter): number {
  for (let count = 0; count <= 3 * burst; count += 1) {
    try {
      meter.idleFrame();
    } catch {
      return count;
    }
  }
  throw new Error('the meter takes any number of frames');
}

test('FloodMeter takes a burst and no more', () => {
  assert.equal(countUntilCut(open().meter), burst);
});

test('FloodMeter takes ten probes a second and keepalives for a virtual month', () => {
  const { world, meter } = open();
  for (let second = 0; second < monthSeconds; second += 1) {
    world.nowMs += 1000;
    const frames = second % 10 === 0 ? 11 : 10;
    for (let frame = 0; frame < frames; frame += 1) meter.idleFrame();
  }
  assert.ok(countUntilCut(meter) <= 2 * burst);
});

test('FloodMeter takes the rate of its limit for a virtual day, and no higher one', () => {
  const { world, meter } = open();
  const second = (frames: number) => {
    world.nowMs += 1000;
    for (let frame = 0; frame < frames; frame += 1) meter.idleFrame();
  };
  for (let seconds = 0; seconds < 24 * 3600; seconds += 1) second(perSecond);
  const higherForMs = () => {
    const fromMs = world.nowMs;
    while (world.nowMs < fromMs + 3600_000) second(2 * perSecond);
  };
  assert.throws(higherForMs, { message: 'too many frames without a purpose' });
});

test('FloodMeter is full again after a time without frames', () => {
  const { world, meter } = open();
  countUntilCut(meter);
  // The frame that was one too many counts, too.
  world.nowMs += ((burst + 1) / perSecond) * 1000;
  assert.equal(countUntilCut(meter), burst);
});

test('FloodMeter takes what the sent bodies allow, and keeps no more of it than a burst', () => {
  const { world, meter } = open();
  for (let round = 0; round < 100; round += 1) {
    world.sent = burst / 2;
    for (let frame = 0; frame < burst / 2; frame += 1) meter.idleFrame();
  }
  world.sent = 1000 * burst;
  assert.equal(countUntilCut(meter), burst);
});
