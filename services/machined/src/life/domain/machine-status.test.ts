import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MachineStage, type StageEvent, stageAfter } from './machine-status.ts';
import { type SequenceName, sequenceNames } from './node-event.ts';

const sequence = (name: SequenceName, action: 'start' | 'stop'): StageEvent => ({
  kind: 'sequence',
  sequence: name,
  action,
});

test('sequences move a machine from booting to running and to its end', () => {
  const stages: MachineStage[] = ['booting'];
  const life = [
    sequence('initialize', 'start'),
    sequence('initialize', 'stop'),
    sequence('boot', 'start'),
    sequence('boot', 'stop'),
    sequence('shutdown', 'start'),
    sequence('boot', 'stop'),
    { kind: 'sequence-failed', error: { code: 'fatal' } } as const,
  ];
  for (const event of life) stages.push(stageAfter(stages.at(-1) as MachineStage, event));
  assert.deepEqual(stages.slice(1), [
    ...['booting', 'booting', 'booting', 'running'],
    ...['shutting-down', 'shutting-down', 'shutting-down'],
  ]);
  assert.equal(stageAfter('running', { kind: 'sequence-failed', error: { code: 'fatal' } }), 'rebooting');
  assert.equal(stageAfter('booting', { kind: 'sequence-failed', error: { code: 'cancelled' } }), 'booting');
});

test('a machine without a configuration is in maintenance until it has one', () => {
  const task = (action: 'start' | 'stop', name = 'runningMaintenance'): StageEvent => ({
    kind: 'task',
    task: name,
    action,
  });
  assert.equal(stageAfter('booting', task('start')), 'maintenance');
  assert.equal(stageAfter('maintenance', task('stop')), 'booting');
  assert.equal(stageAfter('running', task('stop')), 'running');
  assert.equal(stageAfter('booting', task('start', 'loadConfig')), 'booting');
});

test('each sequence that ends a running machine has a stage of its own', () => {
  const begun = sequenceNames.map((name) => [name, stageAfter('running', sequence(name, 'start'))]);
  assert.deepEqual(Object.fromEntries(begun), {
    noop: 'running',
    boot: 'booting',
    initialize: 'booting',
    install: 'installing',
    shutdown: 'shutting-down',
    upgrade: 'upgrading',
    stageUpgrade: 'upgrading',
    maintenanceUpgrade: 'upgrading',
    reset: 'resetting',
    reboot: 'rebooting',
    emergencyVolumeCleanup: 'running',
  });
});

test('a machine whose reset failed before any service was stopped is running again', () => {
  const failed = { kind: 'sequence-failed', error: { code: 'fatal' }, goesOn: true } as const;
  assert.equal(stageAfter('resetting', failed), 'running');
});
