import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeTimers } from '@nodewright/controllers/testing';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { createInProcessRunner } from '../domain/in-process-runner.ts';
import { declaredService } from './declared-service.ts';
import type { ServiceDefinition } from './service.ts';
import { ServiceManager } from './service-manager.ts';

const id = 'cri';
const definition: ServiceDefinition = { id, runner: createInProcessRunner(id) };

function newManager(): ServiceManager {
  const log = createLogger({ name: 'test', telemetry: noTelemetry, destination: { write() {} } });
  return new ServiceManager({ log, telemetry: noTelemetry, timers: new FakeTimers(0) });
}

test('a declared service is unknown before its first start, and is defined once', async () => {
  await using services = newManager();
  let count = 0;
  const service = declaredService({
    ...{ services, id },
    define() {
      count += 1;
      return definition;
    },
  });
  assert.deepEqual([service.isDeclared, services.lifeOf(id)], [false, undefined]);
  await service.stop();
  service.start();
  assert.deepEqual([service.isDeclared, services.lifeOf(id)], [true, 'on']);
  await service.stop();
  assert.equal(services.lifeOf(id), 'off');
  service.start();
  assert.deepEqual([services.lifeOf(id), count], ['on', 1]);
});

test('a declared service that is started twice while it is being defined is defined once', async () => {
  await using services = newManager();
  const defined = Promise.withResolvers<ServiceDefinition>();
  let count = 0;
  const service = declaredService({
    ...{ services, id },
    define() {
      count += 1;
      return defined.promise;
    },
  });
  const starts = [service.start(), service.start()];
  assert.equal(service.isDeclared, false);
  defined.resolve(definition);
  await Promise.all(starts);
  assert.deepEqual([service.isDeclared, services.lifeOf(id), count], [true, 'on', 1]);
});

test('a declared service that is stopped while it is being defined does not start', async () => {
  await using services = newManager();
  const defined = Promise.withResolvers<ServiceDefinition>();
  const service = declaredService({ ...{ services, id }, define: () => defined.promise });
  const starting = service.start();
  await service.stop();
  defined.resolve(definition);
  await starting;
  assert.deepEqual([service.isDeclared, services.lifeOf(id)], [true, 'off']);
  service.start();
  assert.equal(services.lifeOf(id), 'on');
});

for (const [kind, fail] of [
  ['throws', () => assert.fail('no folder')],
  ['rejects', () => Promise.reject(new Error('no folder'))],
] as const) {
  test(`a declared service whose definition ${kind} is defined anew at the next start`, async () => {
    await using services = newManager();
    const definitions = [fail, () => definition];
    const service = declaredService({
      ...{ services, id },
      define: () => definitions.shift()?.() ?? definition,
    });
    await assert.rejects(async () => service.start(), /no folder/);
    assert.equal(service.isDeclared, false);
    await service.start();
    assert.equal(services.lifeOf(id), 'on');
  });
}

test('a declared service reports its failure to a controller that was there before it', async () => {
  await using services = newManager();
  const service = declaredService({
    ...{ services, id },
    define: () => ({ ...definition, prepare: () => Promise.reject(new Error('no program')) }),
  });
  const failed = Promise.withResolvers<void>();
  using _listener = service.onFailure(() => failed.resolve());
  assert.equal(service.hasFailed(), false);
  service.start();
  await failed.promise;
  assert.equal(service.hasFailed(), true);
});
