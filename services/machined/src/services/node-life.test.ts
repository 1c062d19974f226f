import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeTimers } from '@nodewright/controllers/testing';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { planReset } from '../domain/plan-reset.ts';
import { EventStore } from '../host/event-store.ts';
import { NodeLife, type NodeLifeInit } from './node-life.ts';

const plan = planReset({ graceful: true, reboot: true, mode: 'all', partitions: [], userDisks: [] });

function nodeLife(change: Partial<NodeLifeInit> = {}) {
  const steps: string[] = [];
  const does = (step: string) => async () => void steps.push(step);
  const life = new NodeLife({
    events: new EventStore(() => 0),
    log: createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' }),
    timers: new FakeTimers(),
    records: () => [],
    stopServices: does('stop'),
    sendResetSignal: does('signal'),
    wipe: does('wipe'),
    end: (end) => void steps.push(`ends: ${end}`),
    ...change,
  });
  return { life, steps, does };
}

test('a sequence that is refused does not end the machine that another one brings to its end', async () => {
  const stopped = Promise.withResolvers<void>();
  const { life, steps } = nodeLife({ stopServices: () => stopped.promise });
  const first = life.reset(plan, 'a');
  await life.reset(plan, 'b');
  assert.deepEqual(steps, ['signal']);
  stopped.resolve();
  await first;
  assert.deepEqual(steps, ['signal', 'wipe', 'ends: reboot']);
});

test('a machine whose services were stopped and whose sequence failed starts anew', async () => {
  const fails = async () => {
    throw new Error('no');
  };
  const { life, steps } = nodeLife({ wipe: fails });
  await life.reset(plan, 'a');
  assert.deepEqual(steps, ['signal', 'stop', 'ends: reboot']);
});

test('a machine that cannot leave etcd goes on, and nobody is told that it is reset', async () => {
  const { life, steps } = nodeLife({
    leaveEtcd: () => async () => {
      throw new Error('the last voter');
    },
  });
  await life.reset(plan, 'a');
  assert.deepEqual(steps, []);
});
