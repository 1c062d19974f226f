import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planRestart } from './plan-restart.ts';

test('planRestart() waits 1 s after the first death and doubles up to 30 s while deaths come quickly', () => {
  const delays: number[] = [];
  let history = { quickDeaths: 0 };
  for (let death = 0; death < 8; death++) {
    const plan = planRestart(history, 100);
    delays.push(plan.delayMs);
    history = plan.history;
  }
  assert.deepEqual(delays, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});

test('planRestart() forgets earlier deaths once a node has run for a while', () => {
  assert.deepEqual(planRestart({ quickDeaths: 6 }, 30_000), { delayMs: 1000, history: { quickDeaths: 1 } });
});
