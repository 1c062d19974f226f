import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planReboot, planRestart } from './plan-restart.ts';

test('planRestart() doubles the delay from 1 s up to 30 s while a node keeps dying soon after its start', () => {
  const delays: number[] = [];
  let history = { quickDeaths: 0 };
  for (let death = 0; death < 8; death++) {
    const plan = planRestart(history, 100);
    delays.push(plan.delayMs);
    history = plan.history;
  }
  assert.deepEqual(delays, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});

test('planRestart() forgets earlier deaths after the node has run for a while', () => {
  assert.deepEqual(planRestart({ quickDeaths: 6 }, 30_000), { delayMs: 1000, history: { quickDeaths: 1 } });
});

test('planReboot() restarts a node at once, and backs off when the node only reboots', () => {
  assert.deepEqual(planReboot({ quickDeaths: 3 }, 5000), { delayMs: 0, history: { quickDeaths: 0 } });
  const delays: number[] = [];
  let history = { quickDeaths: 0 };
  for (let reboot = 0; reboot < 4; reboot++) {
    const plan = planReboot(history, 300);
    delays.push(plan.delayMs);
    history = plan.history;
  }
  assert.deepEqual(delays, [0, 1000, 2000, 4000]);
});
