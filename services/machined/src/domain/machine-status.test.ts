import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MachineStage, machineStatus, type StageEvent, stageAfter } from './machine-status.ts';
import { newServiceRecord, recordEvent, recordHealth, type ServiceRecord } from './service-record.ts';

const sequence = (name: 'initialize' | 'boot' | 'shutdown', action: 'start' | 'stop'): StageEvent => ({
  kind: 'sequence',
  sequence: name,
  action,
});

function running(id: string, health?: boolean): ServiceRecord {
  let record = newServiceRecord(id, true);
  for (const event of ['start', 'prepare', 'run'] as const) record = recordEvent(record, event, event, 1);
  if (health === undefined) return record;
  return recordHealth(record, health ? { healthy: true } : { healthy: false, message: 'no' }, 2);
}

test('sequences lead a machine from booting to running and to its end', () => {
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

test('a machine is ready when its services run and are well, and says which are not', () => {
  const required = ['apid', 'machined', 'trustd'];
  const services = [running('machined', true), running('apid', false), newServiceRecord('trustd', true)];
  assert.deepEqual(machineStatus('running', services, required), {
    stage: 'running',
    ready: false,
    unmetConditions: [{ name: 'services', reason: 'apid not healthy, trustd not running' }],
  });
  const well = required.map((id) => running(id, true));
  assert.deepEqual(machineStatus('booting', well, required), {
    stage: 'booting',
    ready: true,
    unmetConditions: [],
  });
  assert.deepEqual(machineStatus('running', [running('machined')], ['machined']).ready, false);
});

test('a machine that goes down is ready, whatever its services do', () => {
  assert.deepEqual(machineStatus('shutting-down', [], ['apid']), {
    stage: 'shutting-down',
    ready: true,
    unmetConditions: [],
  });
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
