import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { FakeTimers } from '@nodewright/controllers/testing';
import { createInProcessRunner, type ServiceDefinition, ServiceManager } from '@nodewright/services';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import type { CallContext } from 'nice-grpc';
import { createServiceControl } from './service-control.ts';

const noContext = {} as CallContext;

function controlled(...definitions: Pick<ServiceDefinition, 'id' | 'dependsOn'>[]) {
  const manager = new ServiceManager({
    log: createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' }),
    telemetry: noTelemetry,
    timers: new FakeTimers(),
  });
  manager.declare(definitions.map((given) => ({ ...given, runner: createInProcessRunner(given.id) })));
  const { serviceStart, serviceStop, serviceRestart } = createServiceControl(manager);
  const methods = { start: serviceStart, stop: serviceStop, restart: serviceRestart };
  return {
    manager,
    async call(operation: keyof typeof methods, id: string) {
      const { messages } = await methods[operation]({ id }, noContext);
      await turn();
      return messages?.map(({ resp }) => resp);
    },
    states: () => manager.records().map(({ id, state }) => `${id} ${state}`),
    starts: (id: string) =>
      manager
        .records()
        .find((record) => record.id === id)
        ?.history.filter(({ state }) => state === 'Starting').length,
  };
}

test('an extension service is started, restarted and stopped, and each answer says so', async () => {
  const { call, states, starts } = controlled({ id: 'ext-hello' });
  assert.deepEqual(await call('start', 'ext-hello'), ['Service "ext-hello" started']);
  assert.deepEqual(await call('start', 'ext-hello'), ['Service "ext-hello" started']);
  assert.deepEqual([states(), starts('ext-hello')], [['ext-hello Running'], 1]);
  assert.deepEqual(await call('restart', 'ext-hello'), ['Service "ext-hello" restarted']);
  assert.deepEqual([states(), starts('ext-hello')], [['ext-hello Running'], 2]);
  assert.deepEqual(await call('stop', 'ext-hello'), ['Service "ext-hello" stopped']);
  assert.deepEqual(await call('stop', 'ext-hello'), ['Service "ext-hello" stopped']);
  assert.deepEqual(states(), ['ext-hello Finished']);
  assert.deepEqual(await call('restart', 'ext-hello'), ['Service "ext-hello" restarted']);
  assert.deepEqual([states(), starts('ext-hello')], [['ext-hello Running'], 3]);
});

test('a stop does not affect the services that depend on the service', async () => {
  const { call, manager, states } = controlled({ id: 'ext-a' }, { id: 'ext-b', dependsOn: ['ext-a'] });
  manager.start(['ext-a', 'ext-b']);
  await turn();
  await call('stop', 'ext-a');
  assert.deepEqual(states(), ['ext-a Finished', 'ext-b Running']);
});

test('two restarts at once, or a start while it is being stopped, leave the service running', async () => {
  const { call, manager, states } = controlled({ id: 'ext-hello' });
  manager.start(['ext-hello']);
  await turn();
  await Promise.all([call('restart', 'ext-hello'), call('restart', 'ext-hello')]);
  assert.deepEqual(states(), ['ext-hello Running']);
  await Promise.all([call('stop', 'ext-hello'), call('start', 'ext-hello')]);
  assert.deepEqual(states(), ['ext-hello Running']);
});

test('an operation on an unknown or protected service has no effect', async () => {
  const { call, manager, states } = controlled({ id: 'apid' });
  manager.start(['apid']);
  await turn();
  await assert.rejects(call('stop', 'apid'), {
    kind: 'unknown',
    message: 'service "apid" doesn\'t support stop operation via API',
  });
  await assert.rejects(call('start', 'ghost'), { kind: 'unknown', message: 'service "ghost" not defined' });
  assert.deepEqual(states(), ['apid Running']);
});
