import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { poolTimeouts } from './backend-pool.ts';
import { BackendProbes } from './backend-probes.ts';

/** Dials this many dead backends for some seconds of a clock that stands still otherwise. Returns the dials of each. */
async function dialDead(t: TestContext, count: number, seconds: number): Promise<number[]> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let nowMs = 0;
  let seed = 46;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  const probes = new BackendProbes<never>({ limits: poolTimeouts.probes, now: () => nowMs, random });
  const dials = Array.from({ length: count }, () => 0);
  for (const index of dials.keys())
    probes.add(`10.5.0.${index}`, {
      isOver: () => false,
      dial() {
        dials[index] = (dials[index] ?? 0) + 1;
        return Promise.reject(new Error('connect ECONNREFUSED'));
      },
      opened: () => assert.fail('nothing is open'),
      isBack: () => assert.fail('nothing is back'),
    });
  while (nowMs < seconds * 1000) {
    nowMs += 25;
    t.mock.timers.tick(25);
    await turn();
  }
  return dials;
}

test('BackendProbes dials a dead backend at pauses that grow to two seconds', async (t) => {
  const [dials = 0] = await dialDead(t, 1, 60);
  // 250, 375, 563, 844, 1266 and 1898 ms, and then 2 s, each up to a quarter longer or shorter.
  assert.ok(dials >= 24 && dials <= 48, `${dials} dials`);
});

test('BackendProbes dials 256 dead backends 50 times a second in all, and forgets none of them', async (t) => {
  const seconds = 20;
  const dials = await dialDead(t, 256, seconds);
  const all = dials.reduce((sum, each) => sum + each, 0);
  const { burst, perSecond } = poolTimeouts.probes.dials;
  assert.ok(all <= burst + perSecond * seconds, `${all} dials`);
  assert.ok(Math.min(...dials) > 0, 'one was never dialled');
});
