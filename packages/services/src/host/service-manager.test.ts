import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { FakeTimers } from '@nodewright/controllers/testing';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { createInProcessRunner } from '../domain/in-process-runner.ts';
import { createFileCondition } from './file-condition.ts';
import type { ServiceDefinition } from './service.ts';
import { ServiceManager } from './service-manager.ts';

interface Line {
  readonly service: string;
  readonly state?: string;
  readonly message?: string;
}

function managed() {
  const lines: Line[] = [];
  const log = createLogger({
    name: 'test',
    telemetry: noTelemetry,
    destination: { write: (line) => lines.push(JSON.parse(line)) },
  });
  const timers = new FakeTimers(0);
  const manager = new ServiceManager({
    ...{ log, timers, telemetry: noTelemetry },
    mayComeLater: (id) => id === 'cri',
  });
  const advance = async (ms: number) => {
    const untilMs = timers.now() + ms;
    do await turn();
    while (timers.step(untilMs));
    await turn();
  };
  const told = (id: string) =>
    manager
      .records()
      .find((record) => record.id === id)
      ?.history.at(-1)?.message;
  return { ...{ manager, lines, timers, advance, told } };
}

const service = (id: string, needs: Partial<ServiceDefinition> = {}): ServiceDefinition => ({
  id,
  runner: createInProcessRunner(id),
  ...needs,
});

const ends = (lines: readonly Line[]) =>
  lines.filter(({ state }) => state === 'Finished').map((line) => line.service);

test('the service manager lists by id, logs every entry, and stops in reverse order of dependencies', async () => {
  const { manager, lines, advance } = managed();
  manager.add([service('machined')]);
  manager.add(['trustd', 'apid'].map((id) => service(id, { outlivedBy: ['machined'] })));
  await advance(1);
  assert.deepEqual(
    manager.records().map(({ id, state }) => `${id} ${state}`),
    ['apid Running', 'machined Running', 'trustd Running'],
  );
  await manager[Symbol.asyncDispose]();
  assert.deepEqual([ends(lines).slice(0, 2).sort(), ends(lines)[2]], [['apid', 'trustd'], 'machined']);
});

test('what a service does before the node ends happens between the end of its dependents and its own', async () => {
  const { manager, lines, advance } = managed();
  const beforeNodeEnds = async () => void lines.push({ service: 'before', state: 'Finished' });
  manager.add([service('cri', { beforeNodeEnds }), service('etcd', { dependsOn: ['cri'] })]);
  manager.declare([service('off', { beforeNodeEnds: () => Promise.reject(new Error('it is off')) })]);
  await advance(1);
  await manager.stop(['cri']);
  manager.start(['cri']);
  await advance(1);
  assert.deepEqual(ends(lines), ['cri']);
  await manager[Symbol.asyncDispose]();
  assert.deepEqual(ends(lines), ['cri', 'etcd', 'before', 'cri']);
});

test('a service names the services that it waits for, including undeclared ones', async () => {
  const { manager, advance, told } = managed();
  manager.declare([service('containerd')]);
  manager.add([service('etcd', { dependsOn: ['cri', 'containerd'] })]);
  await advance(1);
  assert.equal(told('etcd'), 'Waiting for service "cri" to be registered, service "containerd" to be "up"');
  manager.declare([service('cri')]);
  await advance(1000);
  assert.equal(told('etcd'), 'Waiting for service "cri" to be "up", service "containerd" to be "up"');
  manager.start(['cri', 'containerd']);
  await advance(0);
  assert.equal(told('etcd'), 'Service started as goroutine');
  await manager[Symbol.asyncDispose]();
});

test('a service waits for a file, which is checked once a second', async () => {
  const { manager, advance, told, timers } = managed();
  let isThere = false;
  const looks: number[] = [];
  const exists = async () => {
    looks.push(timers.now());
    return isThere;
  };
  manager.add([service('dashboard', { conditions: [createFileCondition('/run/x.sock', exists, timers)] })]);
  await advance(2500);
  assert.equal(told('dashboard'), 'Waiting for file "/run/x.sock" to exist');
  isThere = true;
  await advance(500);
  assert.equal(told('dashboard'), 'Service started as goroutine');
  assert.deepEqual(looks, [0, 1000, 2000, 3000]);
  await manager[Symbol.asyncDispose]();
});

test('a declaration that is refused declares nothing, and neither does one after the end', async () => {
  const { manager } = managed();
  assert.throws(() => manager.declare([service('a'), service('b', { dependsOn: ['b'] })]), {
    message: 'service "b" would wait for itself: b -> b',
  });
  assert.deepEqual(manager.records(), []);
  manager.declare([service('a')]);
  await manager[Symbol.asyncDispose]();
  manager.declare([service('c')]);
  manager.start(['a']);
  assert.deepEqual(
    manager.records().map(({ id, state }) => `${id} ${state}`),
    ['a Initialized'],
  );
});

test('stop() stops exactly the given services, stopWithDependents() also those that depend on them', async () => {
  const { manager, lines, advance } = managed();
  manager.add([service('cri'), service('etcd', { dependsOn: ['cri'] }), service('apid')]);
  await advance(1);
  await manager.stop(['cri']);
  assert.deepEqual([ends(lines), manager.lifeOf('etcd')], [['cri'], 'on']);
  manager.start(['cri']);
  await advance(1);
  await manager.stopWithDependents(['cri']);
  assert.deepEqual([ends(lines).slice(1), manager.lifeOf('apid')], [['etcd', 'cri'], 'on']);
  await manager[Symbol.asyncDispose]();
});

test('a service that failed before its runner began is told from one whose runner failed', async () => {
  const { manager, advance } = managed();
  const prepare = () => Promise.reject(new Error('no space left'));
  const runner = { text: 'Fails', run: () => Promise.reject(new Error('exit code 1')) };
  manager.declare([service('ext-a', { prepare }), service('ext-b', { runner })]);
  manager.start(['ext-a', 'ext-b']);
  await advance(1);
  const failed = (id: string) =>
    (['ever', 'starting'] as const).map((when) => manager.failureOf(id, when).hasFailed());
  assert.deepEqual(
    [failed('ext-a'), failed('ext-b')],
    [
      [true, true],
      [true, false],
    ],
  );
});

test('a service has failed when it ended by itself, and not when it was stopped', async () => {
  const { manager, advance } = managed();
  let text: string | undefined = 'no such file';
  const prepare = async () => {
    if (text !== undefined) throw new Error(text);
  };
  const hangs = { text: 'Hangs', run: () => new Promise<void>(() => {}) };
  manager.declare([service('kubelet', { prepare }), service('hangs', { runner: hangs })]);
  const failure = manager.failureOf('kubelet');
  const heard: boolean[] = [];
  using _listener = failure.onFailure(() => heard.push(failure.hasFailed()));
  manager.start(['kubelet', 'hangs']);
  await advance(1);
  assert.deepEqual([heard, failure.hasFailed()], [[true], true]);
  await manager.stop(['kubelet']);
  assert.equal(failure.hasFailed(), false, 'it was stopped after it had failed');
  text = undefined;
  manager.start(['kubelet']);
  await advance(1);
  assert.equal(failure.hasFailed(), false, 'it runs');
  const stopped = manager.stop(['hangs']);
  await advance(60_000);
  await stopped;
  assert.equal(manager.records().find(({ id }) => id === 'hangs')?.state, 'Failed');
  assert.equal(manager.failureOf('hangs').hasFailed(), false, 'its end was asked for');
  assert.equal(manager.failureOf('none').hasFailed(), false);
});
