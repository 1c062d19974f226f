// Twenty services with generated dependencies, on a clock that the test advances. The graph alone determines,
// to the millisecond, when each service starts: one that starts later waits for a service that it does not
// depend on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pauseBy, type Timers } from '@nodewright/async';
import { FakeTimers } from '@nodewright/controllers/testing';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import fc from 'fast-check';
import { restartRunner } from '../domain/restart-runner.ts';
import type { Runner } from '../domain/runner.ts';
import type { ServiceDefinition } from './service.ts';
import { ServiceManager } from './service-manager.ts';

interface Plan {
  readonly id: string;
  readonly dependsOn: readonly string[];
  /** From the start of its runner until the service is up, in ms. */
  readonly slowMs: number;
  /** How often its runner fails at first. */
  readonly failures: number;
  /** Health checks that fail before one succeeds; undefined: it never becomes healthy. */
  readonly badChecks: number | undefined;
  /** How long it takes to stop, in ms. */
  readonly stopMs: number;
}

const count = 20;
const restartIntervalMs = 5000;
const initialDelayMs = 1000;
const periodMs = 5000;
const stopTimeoutMs = 20_000;
const budgetMs = 30_000;

const shape = fc.record({
  slowMs: fc.integer({ min: 0, max: 3000 }),
  failures: fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { arbitrary: fc.integer({ min: 1, max: 3 }), weight: 1 },
  ),
  badChecks: fc.oneof(
    { weight: 16, arbitrary: fc.integer({ min: 0, max: 2 }) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  ),
  // Some take all of the time for stopping, or never end.
  stopMs: fc.oneof(
    { weight: 10, arbitrary: fc.integer({ min: 0, max: 4000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 15_000, max: 60_000 }) },
  ),
  needs: fc.array(fc.nat({ max: 1000 }), { maxLength: 3 }),
});

/** Services that depend on some of the earlier ones, declared in any order. */
const graphs = fc
  .tuple(
    fc.array(shape, { minLength: count, maxLength: count }),
    fc.array(fc.nat(), { minLength: count, maxLength: count }),
  )
  .map(([shapes, keys]) => {
    const plans = shapes.map(({ needs, ...rest }, at): Plan => {
      const dependsOn = at === 0 ? [] : [...new Set(needs.map((need) => `s${need % at}`))];
      return { id: `s${at}`, dependsOn, ...rest };
    });
    return plans
      .map((plan, at) => ({ plan, key: keys[at] ?? 0 }))
      .sort((a, b) => a.key - b.key)
      .map(({ plan }) => plan);
  });

/** Computes a number for each service from those of the services that it depends on. */
function follow(plans: readonly Plan[], numberOf: (plan: Plan, valueFor: (id: string) => number) => number) {
  const byId = new Map(plans.map((plan) => [plan.id, plan]));
  const values = new Map<string, number>();
  const valueFor = (id: string): number => {
    const known = values.get(id);
    if (known !== undefined) return known;
    const plan = byId.get(id);
    assert.ok(plan !== undefined);
    const value = numberOf(plan, valueFor);
    values.set(id, value);
    return value;
  };
  for (const { id } of plans) valueFor(id);
  return valueFor;
}

const latest = (ids: readonly string[], valueFor: (id: string) => number) =>
  Math.max(0, ...ids.map(valueFor));

/** When a service is up, in ms after the start of all. */
function upTimes(plans: readonly Plan[]) {
  return follow(plans, ({ dependsOn, slowMs, failures, badChecks = Number.POSITIVE_INFINITY }, upAt) => {
    const startsAt = latest(dependsOn, upAt);
    return (
      startsAt + failures * (slowMs + restartIntervalMs) + slowMs + initialDelayMs + badChecks * periodMs
    );
  });
}

/** When all services are up that can be; a service that never becomes healthy is at least running. */
function longEnough(plans: readonly Plan[]): number {
  const upAt = upTimes(plans);
  return (
    Math.max(...plans.map(({ id }) => upAt(id)).filter(Number.isFinite), 0) + 4 * (restartIntervalMs + 3000)
  );
}

function managed(plans: readonly Plan[]) {
  const timers = new FakeTimers(0);
  const [started, stopped] = [new Map<string, number>(), new Map<string, number>()];
  const manager = new ServiceManager({
    log: createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' }),
    telemetry: noTelemetry,
    timers,
  });
  manager.declare(plans.map((plan) => definition(plan, timers, { started, stopped })));
  const runUntil = async (untilMs: number) => {
    do await turn();
    while (timers.step(untilMs));
    await turn();
  };
  return { manager, timers, started, stopped, runUntil };
}

interface Times {
  readonly started: Map<string, number>;
  readonly stopped: Map<string, number>;
}

function definition(plan: Plan, timers: Timers, { started, stopped }: Times): ServiceDefinition {
  const { id, dependsOn, slowMs, badChecks = Number.POSITIVE_INFINITY, stopMs } = plan;
  let { failures } = plan;
  let checks = 0;
  const never = new AbortController().signal;
  const runner: Runner = {
    text: id,
    async run(report, signal) {
      if (!started.has(id)) started.set(id, timers.now());
      await pauseBy(timers, slowMs, signal);
      if (!signal.aborted) {
        if (failures-- > 0) throw new Error('not yet');
        report('run', 'up');
        const { promise, resolve } = Promise.withResolvers<void>();
        signal.addEventListener('abort', () => resolve());
        await promise;
      }
      stopped.set(id, timers.now());
      await pauseBy(timers, stopMs, never);
    },
  };
  return {
    ...{ id, dependsOn, stopTimeoutMs },
    runner: restartRunner(runner, {
      policy: 'untilSuccess',
      intervalMs: restartIntervalMs,
      now: () => timers.now(),
      sleep: (ms, signal) => pauseBy(timers, ms, signal),
    }),
    health: {
      check: async () => (checks++ < badChecks ? { healthy: false, message: 'not well' } : { healthy: true }),
      ...{ initialDelayMs, periodMs, timeoutMs: 500 },
    },
  };
}

const settings = {
  numRuns: 20,
  ...(process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }),
};

test('20 services start as soon as their dependencies are up, and never before', async () => {
  await fc.assert(
    fc.asyncProperty(graphs, async (plans) => {
      const { manager, runUntil, started } = managed(plans);
      const upAt = upTimes(plans);
      const expected = new Map(
        plans
          .map(({ id, dependsOn }) => [id, latest(dependsOn, upAt)] as const)
          .filter(([, at]) => Number.isFinite(at)),
      );
      manager.start(plans.map(({ id }) => id));
      await runUntil(longEnough(plans));
      assert.deepEqual(sorted(started), sorted(expected));
      for (const { id, state, history } of manager.records()) {
        if (expected.has(id)) {
          assert.equal(state, 'Running', id);
          continue;
        }
        // A service that waits forever names what it waits for.
        const open = plans
          .find((plan) => plan.id === id)
          ?.dependsOn.filter((need) => !Number.isFinite(upAt(need)));
        const text = open?.map((need) => `service "${need}" to be "up"`).join(', ');
        assert.deepEqual([state, history.at(-1)?.message], ['Waiting', `Waiting for ${text}`]);
      }
    }),
    settings,
  );
});

test('20 services stop as soon as no other service depends on them, within the time for all', async () => {
  await fc.assert(
    fc.asyncProperty(graphs, async (plans) => {
      const { manager, timers, runUntil, stopped, started } = managed(plans);
      manager.start(plans.map(({ id }) => id));
      await runUntil(longEnough(plans));
      const startMs = timers.now();
      let areDown = false;
      manager[Symbol.asyncDispose]().then(() => {
        areDown = true;
      });
      const signalledAt = (id: string, downAt: (id: string) => number) => {
        const dependents = plans.filter(({ dependsOn }) => dependsOn.includes(id)).map((plan) => plan.id);
        return Math.min(latest(dependents, downAt), budgetMs);
      };
      const downAt = follow(plans, ({ id, stopMs }, down) => {
        // A service that never ran is down as soon as it is stopped.
        return signalledAt(id, down) + (started.has(id) ? Math.min(stopMs, stopTimeoutMs) : 0);
      });
      await runUntil(startMs + budgetMs + stopTimeoutMs);
      assert.ok(areDown, 'not every service is down in time');
      const expected = [...started.keys()].map((id) => [id, startMs + signalledAt(id, downAt)] as const);
      assert.deepEqual(sorted(stopped), sorted(new Map(expected)));
      const failed = plans.filter(({ id, stopMs }) => started.has(id) && stopMs > stopTimeoutMs);
      assert.deepEqual(
        manager
          .records()
          .filter(({ state }) => state !== 'Finished')
          .map(({ id, state }) => `${id} ${state}`),
        failed.map(({ id }) => `${id} Failed`).sort(),
      );
    }),
    settings,
  );
});

const sorted = (times: ReadonlyMap<string, number>) => Object.fromEntries([...times].sort());
