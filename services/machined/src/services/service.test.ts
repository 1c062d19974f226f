import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { Latch } from '../domain/condition.ts';
import { createInProcessRunner } from '../domain/in-process-runner.ts';
import type { ReportRunner, Runner } from '../domain/runner.ts';
import type { HealthResult } from '../domain/service-health.ts';
import { Service, type ServiceInit } from './service.ts';
import { ServiceManager } from './service-manager.ts';

function serviceOf(init: Partial<ServiceInit>): { service: Service; told: () => string[] } {
  const service = new Service({
    id: 'apid',
    runner: createInProcessRunner('apid'),
    now: () => 1,
    onEntry: () => {},
    ...init,
  });
  return { service, told: () => service.record.history.map(({ state, message }) => `${state}: ${message}`) };
}

const begin = ['Starting: Starting service'];
const prepare = ['Preparing: Running pre state', 'Preparing: Creating service runner'];
const run = ['Running: Service started as goroutine'];
const end = ['Stopping: Service stopping', 'Finished: Service finished successfully'];

test('a service tells its way from start to stop in the words of the reference', async () => {
  const { service, told } = serviceOf({});
  service.start();
  await sleep(1);
  await service.stop();
  assert.deepEqual(told(), [...begin, ...prepare, ...run, ...end]);
});

test('a service waits for its conditions and says for which', async () => {
  const [certificates, config] = [new Latch('api certificates'), new Latch('config to be ready')];
  const { service, told } = serviceOf({ conditions: [certificates, config] });
  service.start();
  await sleep(5);
  assert.deepEqual(told(), [...begin, 'Waiting: Waiting for api certificates, config to be ready']);
  certificates.meet();
  config.meet();
  await sleep(5);
  assert.deepEqual(told().slice(2), [...prepare, ...run]);
  await service.stop();
});

test('a service whose conditions are met does not wait', async () => {
  const met = new Latch('time sync');
  met.meet();
  const { service, told } = serviceOf({ conditions: [met] });
  service.start();
  await sleep(1);
  assert.deepEqual(told(), [...begin, ...prepare, ...run]);
  await service.stop();
});

test('a service that is stopped while it waits has finished', async () => {
  const { service, told } = serviceOf({ conditions: [new Latch('network')] });
  service.start();
  await sleep(1);
  await service.stop();
  assert.deepEqual(told(), [
    ...begin,
    'Waiting: Waiting for network',
    'Finished: Service finished successfully',
  ]);
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
  const { service, told } = serviceOf({ runner });
  service.start();
  await sleep(1);
  assert.equal(told().at(-1), 'Failed: Failed running service: no such program');
  service.start();
  service.start();
  await sleep(1);
  assert.equal(runs, 2);
  assert.deepEqual(told().slice(-2), ['Running: second run', 'Finished: Service finished successfully']);
});

test('a service is checked while its runner runs, and only then', async () => {
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
  const { service, told } = serviceOf({
    runner,
    health: { check, initialDelayMs: 1, periodMs: 1, timeoutMs: 1 },
  });
  service.start();
  await sleep(20);
  result = { healthy: true };
  await sleep(20);
  report('restart', 'it died');
  const checksAtDeath = checks;
  await sleep(20);
  assert.ok(checks <= checksAtDeath + 1);
  report('run', 'up again');
  await sleep(20);
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

test('the service manager lists by id, stops the last group first, and logs every entry', async () => {
  const lines: { service: string; state: string }[] = [];
  const log = createLogger({
    name: 'test',
    telemetry: noTelemetry,
    destination: { write: (line) => lines.push(JSON.parse(line) as never) },
  });
  const manager = new ServiceManager({ log, telemetry: noTelemetry, now: () => 1 });
  manager.start([{ id: 'machined', runner: createInProcessRunner('machined') }]);
  manager.start(['trustd', 'apid'].map((id) => ({ id, runner: createInProcessRunner(id) })));
  await sleep(1);
  assert.deepEqual(
    manager.records().map(({ id, state }) => `${id} ${state}`),
    ['apid Running', 'machined Running', 'trustd Running'],
  );
  await manager[Symbol.asyncDispose]();
  const ends = lines.filter(({ state }) => state === 'Finished').map(({ service }) => service);
  assert.deepEqual(ends, ['trustd', 'apid', 'machined']);
});
