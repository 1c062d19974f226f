import type { Controller, ReconcilePass } from '@nodewright/controllers';
import type { Chaos } from './chaos.ts';

export interface ObserverInit {
  readonly chaos: Chaos;
  /** Virtual Unix time in ms. */
  readonly now: () => number;
  readonly onPass: (text: string) => void;
  /** Called when the runtime does what it must never do. */
  readonly onBreach: (text: string) => void;
}

/**
 * The shortest back-off after a number of consecutive failures, in ms. Source: Talos v1.14: COSI reconcile
 * loop, failure.
 */
const shortestPauseMs = (failures: number) => 0.5 * Math.min(500 * 1.5 ** (failures - 1), 60_000) - 1;

/**
 * Makes passes fail at random: before, during, or after their work. Checks that the runtime calls the
 * controller as promised.
 */
export function observeController(controller: Controller, init: ObserverInit): Controller {
  const { chaos, now, onPass, onBreach } = init;
  const { name } = controller;
  let isRunning = false;
  let failures = 0;
  let failedMs = 0;
  return {
    ...controller,
    async reconcile(pass) {
      if (isRunning) onBreach(`two passes of ${name} at a time`);
      const sinceMs = now() - failedMs;
      if (failures > 0 && sinceMs < shortestPauseMs(failures))
        onBreach(`${name} was called ${sinceMs} ms after failure ${failures}`);
      isRunning = true;
      onPass(`${name} begins`);
      try {
        await controller.reconcile(chaos.strikes(8) ? failingPass(pass, chaos.below(5)) : pass);
        if (chaos.strikes(12)) throw new Error(`simulated: ${name} fails at its end`);
        failures = 0;
        onPass(`${name} ends`);
      } catch (error) {
        failures += 1;
        failedMs = now();
        onPass(`${name} fails: ${(error as Error).message}`);
        throw error;
      } finally {
        isRunning = false;
      }
    },
  };
}

/** A pass in which call number `at` and every later one fails. */
function failingPass(pass: ReconcilePass, at: number): ReconcilePass {
  let calls = 0;
  return new Proxy(pass, {
    get(target, key) {
      const value = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return (...parameters: unknown[]) => {
        calls += 1;
        if (calls > at) throw new Error(`simulated: ${String(key)} fails`);
        return value.apply(target, parameters);
      };
    },
  });
}
