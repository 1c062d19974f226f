import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { FakeTimers } from '@nodewright/controllers/testing';
import { bytesPerPass } from '@nodewright/testkit';
import { Latch } from '../domain/condition.ts';
import { createInProcessRunner } from '../domain/in-process-runner.ts';
import type { ReportRunner, Runner } from '../domain/runner.ts';
import type { HealthResult } from '../domain/service-health.ts';
import { Service, type ServiceInit } from './service.ts';

function serviceOf(init: Partial<ServiceInit>) {
  const timers = new FakeTimers(0);
  const service = new Service({
    id: 'apid',
    runner: createInProcessRunner('apid'),
    timers,
    onEntry: () => {},
    ...init,
  });
  /** Advances the time. */
  const advance = async (ms: number) => {
    const untilMs = timers.now() + ms;
    do await turn();
    while (timers.step(untilMs));
    await turn();
  };
  return {
    ...{ service, timers },
    advance,
    told: () => service.record.history.map(({ state, message }) => `${state}: ${message}`),
  };
}

const begin = ['Starting: Starting service'];
const prepare = ['Preparing: Running pre state', 'Preparing: Creating service runner'];
const run = ['Running: Service started as goroutine'];
const end = ['Stopping: Service stopping', 'Finished: Service finished successfully'];

test('the history of a service from start to stop has the texts of the reference', async () => {
  const { service, told, advance } = serviceOf({});
  service.start();
  await advance(1);
  await service.stop();
  assert.deepEqual(told(), [...begin, ...prepare, ...run, ...end]);
});

test('a service waits for its conditions and names them', async () => {
  const [certificates, config] = [new Latch('api certificates'), new Latch('config to be ready')];
  const { service, told, advance } = serviceOf({ conditions: [certificates, config] });
  service.start();
  await advance(5);
  assert.deepEqual(told(), [...begin, 'Waiting: Waiting for api certificates, config to be ready']);
  certificates.meet();
  config.meet();
  await advance(5);
  assert.deepEqual(told().slice(2), [...prepare, ...run]);
  await service.stop();
});

test('a service whose conditions are met does not wait', async () => {
  const met = new Latch('time sync');
  met.meet();
  const { service, told, advance } = serviceOf({ conditions: [met] });
  service.start();
  await advance(1);
  assert.deepEqual(told(), [...begin, ...prepare, ...run]);
  await service.stop();
});

test('a service that is stopped while it waits is finished', async () => {
  const { service, told, advance } = serviceOf({ conditions: [new Latch('network')] });
  service.start();
  await advance(1);
  await service.stop();
  assert.deepEqual(told(), [
    ...begin,
    'Waiting: Waiting for network',
    'Finished: Service finished successfully',
  ]);
});

test('a service that waits for weeks keeps nothing of each second that passes', async () => {
  const condition = new Latch('extension configuration');
  const { service, told, advance } = serviceOf({ conditions: [condition] });
  service.start();
  // The smallest reaction to a promise takes more than 100 bytes.
  const bytes = await bytesPerPass(() => advance(1000), 2000);
  assert.ok(bytes < 50, `${bytes} bytes stay for each pass`);
  condition.meet();
  await advance(1000);
  assert.deepEqual(told().slice(2), [...prepare, ...run]);
  await service.stop();
});

/** A runner that can start its work ahead, and tells what happens to it. */
function aheadRunner() {
  const seen: string[] = [];
  const over = Promise.withResolvers<void>();
  const runner: Runner = {
    text: 'x',
    async run(report) {
      seen.push('run');
      over.resolve();
      report('run', 'up');
    },
    async startAhead(signal) {
      seen.push('ahead');
      signal.addEventListener('abort', () => seen.push('abort'));
      await over.promise;
    },
  };
  return { runner, seen, end: () => over.resolve() };
}

test('a runner starts its work ahead while its service waits, and only then', async () => {
  const waits = aheadRunner();
  const condition = new Latch('network');
  const first = serviceOf({ runner: waits.runner, conditions: [condition] });
  first.service.start();
  await first.advance(1);
  assert.deepEqual(waits.seen, ['ahead']);
  condition.meet();
  await first.advance(1);
  assert.deepEqual(waits.seen, ['ahead', 'run']);
  const ready = aheadRunner();
  const second = serviceOf({ runner: ready.runner, conditions: [condition] });
  second.service.start();
  await second.advance(1);
  assert.deepEqual(ready.seen, ['run']);
});

test('a service that is stopped while it waits has finished when what it started ahead has ended', async () => {
  const { runner, seen, end } = aheadRunner();
  const { service, advance } = serviceOf({ runner, conditions: [new Latch('network')] });
  service.start();
  await advance(1);
  let isStopped = false;
  const stopped = service.stop().then(() => {
    isStopped = true;
  });
  await advance(1);
  assert.deepEqual([seen, isStopped], [['ahead', 'abort'], false]);
  end();
  await stopped;
  assert.deepEqual(seen, ['ahead', 'abort']);
});

test('a service whose runner fails has failed, and can be started again', async () => {
  let runs = 0;
  const runner: Runner = {
    text: 'x',
    async run(report) {
      if (runs++ === 0) throw new Error('no such program');
      report('run', 'second run');
    },
  };
  const { service, told, advance } = serviceOf({ runner });
  service.start();
  await advance(1);
  assert.equal(told().at(-1), 'Failed: Failed running service: no such program');
  service.start();
  service.start();
  await advance(1);
  assert.equal(runs, 2);
  assert.deepEqual(told().slice(-2), ['Running: second run', 'Finished: Service finished successfully']);
});

test('a service is checked only while its runner runs', async () => {
  let report: ReportRunner = () => {};
  const runner: Runner = {
    text: 'x',
    run(tell, signal) {
      report = tell;
      tell('run', 'up');
      const { promise, resolve } = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => resolve());
      return promise;
    },
  };
  let checks = 0;
  let result: HealthResult = { healthy: false, message: 'refused' };
  const check = async () => {
    checks++;
    return result;
  };
  const { service, told, advance } = serviceOf({
    runner,
    health: { check, initialDelayMs: 1, periodMs: 1, timeoutMs: 1 },
  });
  service.start();
  await advance(20);
  result = { healthy: true };
  await advance(20);
  report('restart', 'it died');
  const checksAtDeath = checks;
  await advance(20);
  assert.ok(checks <= checksAtDeath + 1);
  report('run', 'up again');
  await advance(20);
  assert.ok(checks > checksAtDeath + 1);
  await service.stop();
  assert.deepEqual(told().slice(3), [
    'Running: up',
    'Running: Health check failed: refused',
    'Running: Health check successful',
    'Waiting: it died',
    'Running: up again',
    'Running: Health check successful',
    'Finished: Service finished successfully',
  ]);
});

test('a service reports changes of what it waits for, at most once a second', async () => {
  const latches = ['a', 'b', 'c'].map((text) => new Latch(text));
  const { service, told, advance } = serviceOf({ conditions: latches });
  service.start();
  await advance(100);
  latches[0]?.meet();
  await advance(100);
  latches[1]?.meet();
  await advance(5000);
  assert.deepEqual(told().slice(1), ['Waiting: Waiting for a, b, c', 'Waiting: Waiting for c']);
  await service.stop();
});

test('a service whose condition or preparation fails has failed', async () => {
  const hopeless = new Latch('volumes');
  hopeless.wait = () => Promise.reject(new Error('volume lifecycle is gone'));
  const waiting = serviceOf({ conditions: [hopeless] });
  const pulling = serviceOf({ prepare: () => Promise.reject(new Error('no such image')) });
  for (const { service, advance } of [waiting, pulling]) {
    service.start();
    await advance(1);
  }
  assert.deepEqual(
    [waiting, pulling].map(({ told }) => told().at(-1)),
    ['Failed: Condition failed: volume lifecycle is gone', 'Failed: Failed to run pre stage: no such image'],
  );
});

test('a service whose runner does not end is marked as failed, and runs again only when that runner has ended', async () => {
  const ends: (() => void)[] = [];
  const runner: Runner = {
    text: 'x',
    run(report) {
      report('run', `run ${ends.length + 1}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.push(() => {
        report('restart', 'too late');
        resolve();
      });
      return promise;
    },
  };
  const { service, told, advance } = serviceOf({ runner });
  service.start();
  await advance(1);
  const stopped = service.stop();
  await advance(20_000);
  await stopped;
  const given = [
    "Stopping: Service hasn't stopped gracefully on timeout, aborting",
    'Failed: Failed running service: service aborted',
  ];
  assert.deepEqual(told().slice(3), ['Running: run 1', ...given]);
  assert.equal(service.record.isStopped, true);
  service.start();
  await advance(60_000);
  assert.equal(ends.length, 1);
  ends[0]?.();
  await advance(1);
  assert.deepEqual(told().slice(6), [...begin, ...prepare, 'Running: run 2']);
});

test('a service that ended by itself is checked no more, and says nothing later of a stop', async () => {
  const ended = Promise.withResolvers<void>();
  const runner: Runner = {
    text: 'x',
    run(report) {
      report('run', 'run');
      return ended.promise;
    },
  };
  let checks = 0;
  const check = async (): Promise<HealthResult> => {
    checks += 1;
    return { healthy: true };
  };
  const health = { check, initialDelayMs: 10, periodMs: 10, timeoutMs: 5 };
  const { service, timers, told, advance } = serviceOf({ runner, health });
  service.start();
  await advance(15);
  ended.resolve();
  await advance(100);
  assert.deepEqual([checks, timers.nextMs], [1, undefined]);
  await service.stop();
  await advance(1);
  assert.equal(timers.nextMs, undefined);
  await advance(60_000);
  assert.deepEqual(told().slice(3), [
    'Running: run',
    'Running: Health check successful',
    'Finished: Service finished successfully',
  ]);
});

test('what a service started ahead ends when the service fails before its runner began', async () => {
  let hasEnded = false;
  const runner: Runner = {
    text: 'x',
    async startAhead(signal) {
      await once(signal, 'abort');
      hasEnded = true;
    },
    run: () => assert.fail('the runner began'),
  };
  const gone = new Latch('volumes');
  gone.wait = () => Promise.reject(new Error('volume lifecycle is gone'));
  const { service, told, advance } = serviceOf({ runner, conditions: [gone] });
  service.start();
  await advance(1);
  assert.deepEqual([hasEnded, told().at(-1)], [true, 'Failed: Condition failed: volume lifecycle is gone']);
});

test('a health check that timed out counts unless the event loop was late by more than half of its limit', async () => {
  const timeoutMs = 500;
  /** The health after a service was healthy, and a check then timed out, in which the event loop stood still. */
  const healthAfterBlocks = async (...blockedMs: readonly number[]) => {
    let checks = 0;
    const { service, timers, advance } = serviceOf({
      health: {
        ...{ initialDelayMs: 0, periodMs: 1000, timeoutMs },
        async check(limitMs): Promise<HealthResult> {
          checks += 1;
          if (checks === 1) return { healthy: true };
          const { promise, resolve } = Promise.withResolvers<HealthResult>();
          timers.after(limitMs, () => resolve({ healthy: false, message: 'timed out' }));
          for (const ms of blockedMs) timers.after(60, () => timers.block(ms));
          return promise;
        },
      },
    });
    service.start();
    await advance(2000);
    assert.equal(checks, 2);
    const { healthy, lastMessage } = service.record.health;
    await service.stop();
    return healthy ? 'healthy' : lastMessage;
  };
  const seen = {
    idle: await healthAfterBlocks(),
    half: await healthAfterBlocks(200),
    late: await healthAfterBlocks(300),
    often: await healthAfterBlocks(150, 150),
    longerThanItsLimit: await healthAfterBlocks(900),
  };
  const timedOut = 'timed out';
  const wanted = { idle: timedOut, half: timedOut, late: 'healthy', often: 'healthy' };
  assert.deepEqual(seen, { ...wanted, longerThanItsLimit: 'healthy' });
});

test('a health check that fails at once counts however late the event loop is', async () => {
  const { service, timers, advance } = serviceOf({
    health: {
      ...{ initialDelayMs: 0, periodMs: 1000, timeoutMs: 500 },
      async check(): Promise<HealthResult> {
        timers.block(400);
        return { healthy: false, message: 'refused' };
      },
    },
  });
  service.start();
  await advance(500);
  assert.equal(service.record.health.lastMessage, 'refused');
  await service.stop();
});

test('health checks that time out count, however late the event loop is, after two of them were discarded', async () => {
  let checks = 0;
  const { service, timers, advance } = serviceOf({
    health: {
      ...{ initialDelayMs: 0, periodMs: 1000, timeoutMs: 500 },
      async check(limitMs): Promise<HealthResult> {
        checks += 1;
        if (checks === 1) return { healthy: true };
        const { promise, resolve } = Promise.withResolvers<HealthResult>();
        timers.after(limitMs, () => resolve({ healthy: false, message: 'timed out' }));
        timers.after(60, () => timers.block(400));
        return promise;
      },
    },
  });
  /** Whether it is healthy after that many checks. */
  const isHealthyAfter = async (count: number) => {
    while (checks < count) await advance(100);
    await advance(600);
    return service.record.health.healthy;
  };
  service.start();
  const seen = [];
  for (const count of [1, 2, 3, 4, 5]) seen.push(await isHealthyAfter(count));
  assert.deepEqual(seen, [true, true, true, false, false]);
  await service.stop();
});

test('a service that is stopped after it has failed has finished, and one that is started is not a stopped one', async () => {
  const prepare = () => Promise.reject(new Error('no such image'));
  const { service, told, advance } = serviceOf({ prepare });
  service.start();
  await advance(1);
  assert.deepEqual([service.record.state, service.record.isStopped], ['Failed', false]);
  await service.stop();
  await service.stop();
  assert.deepEqual(told().slice(-2), [
    'Failed: Failed to run pre stage: no such image',
    'Finished: Service stopped after it had failed',
  ]);
  assert.equal(service.record.isStopped, true);
  service.start();
  await advance(1);
  assert.deepEqual([service.record.state, service.record.isStopped], ['Failed', false]);
});
