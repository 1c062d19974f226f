import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { aborted } from '@nodewright/async';
import { FakeTimers } from '@nodewright/controllers/testing';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { MachineEnding } from '../domain/machine-ending.ts';
import type { SequenceName } from '../domain/node-event.ts';
import type { Sequence } from '../domain/run-sequence.ts';
import { SequenceRunner } from './sequence-runner.ts';

function runner(log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' })) {
  const told: string[] = [];
  const timers = new FakeTimers();
  const sequences = new SequenceRunner({
    log,
    timers,
    publish(event, actorId = '') {
      const by = actorId === '' ? '' : ` by ${actorId}`;
      if (event.kind === 'sequence') told.push(`${event.sequence} ${event.action}${by}`);
      if (event.kind === 'sequence-failed') told.push(`${event.sequence} ${event.error.code}${by}`);
    },
  });
  return { sequences, told, timers };
}

const sequence = (name: SequenceName, work: (signal: AbortSignal) => Promise<void>): Sequence => ({
  name,
  phases: [{ name: 'only', tasks: { work } }],
});
const patient = (name: SequenceName) => sequence(name, aborted);
const quick = (name: SequenceName) => sequence(name, async () => {});
const cancelled = { kind: 'cancelled' };

test('a sequence that may not take over is refused at once, and its event has no actor', async () => {
  const { sequences, told } = runner();
  const boot = sequences.run(patient('boot'));
  await assert.rejects(sequences.run(quick('shutdown'), { actorId: 'a' }), {
    kind: 'failed-precondition',
    message: 'sequence shutdown was not started: locked',
  });
  assert.deepEqual(told, ['boot start', 'shutdown locked']);
  await sequences.run(quick('reset'), { actorId: 'b' });
  await assert.rejects(boot, cancelled);
});

test('a sequence that takes over starts once the other one has been cancelled, and leaves no timer', async () => {
  const { sequences, told, timers } = runner();
  const boot = sequences.run(patient('boot'));
  await Promise.all([assert.rejects(boot, cancelled), sequences.run(quick('reboot'), { actorId: 'a' })]);
  assert.deepEqual(told, [
    'boot start',
    'boot stop',
    'boot cancelled',
    'reboot start by a',
    'reboot stop by a',
  ]);
  assert.equal(timers.nextMs, undefined);
});

test('a request with takeover cancels any sequence', async () => {
  const { sequences, told } = runner();
  const reset = sequences.run(patient('reset'));
  await Promise.all([
    assert.rejects(reset, cancelled),
    sequences.run(quick('shutdown'), { hasTakeover: true }),
  ]);
  assert.deepEqual(told, ['reset start', 'reset stop', 'reset cancelled', 'shutdown start', 'shutdown stop']);
});

test('a sequence that ignores its cancellation is waited for up to a minute, and keeps the lock', async () => {
  const { sequences, told, timers } = runner();
  const { promise: ends, resolve: end } = Promise.withResolvers<void>();
  const boot = sequences.run(sequence('boot', () => ends));
  const reboot = sequences.run(quick('reboot'), { actorId: 'a' });
  await turn();
  assert.equal(timers.step(timers.now() + 59_999), false);
  assert.deepEqual(told, ['boot start']);
  timers.step(timers.now() + 1);
  await assert.rejects(reboot, { message: 'sequence reboot was not started: locked' });
  assert.deepEqual(told, ['boot start', 'reboot locked']);
  await assert.rejects(sequences.run(quick('shutdown')), { kind: 'failed-precondition' });
  end();
  await assert.rejects(boot, cancelled);
  await sequences.run(quick('shutdown'));
  assert.equal(told.at(-1), 'shutdown stop');
});

test('a sequence that is cancelled before its start does nothing', async () => {
  const { sequences, told } = runner();
  const { promise: ends, resolve: end } = Promise.withResolvers<void>();
  let wasDone = false;
  const boot = sequences.run(sequence('boot', () => ends));
  const reset = sequences.run(
    sequence('reset', async () => {
      wasDone = true;
    }),
  );
  const reboot = sequences.run(quick('reboot'));
  end();
  await Promise.all([assert.rejects(boot, cancelled), assert.rejects(reset, cancelled), reboot]);
  assert.equal(wasDone, false);
  assert.deepEqual(told.slice(3), [
    'reset start',
    'reset stop',
    'reset cancelled',
    'reboot start',
    'reboot stop',
  ]);
});

test('a sequence that takes over from a waiting one also waits for the running one', async () => {
  const { sequences, told, timers } = runner();
  const { promise: ends, resolve: end } = Promise.withResolvers<void>();
  const boot = sequences.run(sequence('boot', () => ends));
  const reset = sequences.run(quick('reset'));
  await turn();
  timers.step(timers.now() + 30_000);
  const reboot = sequences.run(quick('reboot'));
  await turn();
  timers.step(timers.now() + 30_000);
  await assert.rejects(reset, { message: 'sequence reset was not started: locked' });
  await turn();
  assert.deepEqual(told, ['boot start', 'reset locked']);
  end();
  await Promise.all([assert.rejects(boot, cancelled), reboot]);
  assert.deepEqual(told.slice(2), ['boot stop', 'boot cancelled', 'reboot start', 'reboot stop']);
});

test('after the end of the machine only sequences with takeover start', async () => {
  const { sequences, told } = runner();
  const ending = async () => {
    throw new MachineEnding('reboot');
  };
  await assert.rejects(sequences.run(sequence('reboot', ending)), MachineEnding);
  await assert.rejects(sequences.run(quick('reset')), { kind: 'failed-precondition' });
  await sequences.run(quick('reboot'));
  assert.deepEqual(told, [
    'reboot start',
    'reboot stop',
    'reboot fatal',
    'reset locked',
    'reboot start',
    'reboot stop',
  ]);
});

test('the end of a machine is logged as its end, and as no error', async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const { sequences, told } = runner(createLogger({ name: 'test', telemetry: noTelemetry, destination }));
  const work = (error: Error) => async () => {
    throw error;
  };
  await assert.rejects(sequences.run(sequence('boot', work(new Error('no disk')))), { message: 'no disk' });
  await assert.rejects(sequences.run(sequence('reboot', work(new MachineEnding('kexec')))), MachineEnding);
  const shown = lines
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg !== 'sequence' && msg !== 'phase')
    .map(({ level, msg, error, end }) => [level, msg, error ?? end]);
  assert.deepEqual(shown, [
    ['error', 'sequence failed', 'no disk'],
    ['info', 'machine ends', 'kexec'],
  ]);
  // Clients of upstream recognize the end by this event.
  assert.equal(told.at(-1), 'reboot fatal');
});
