import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeEvent } from './node-event.ts';
import { type Phase, runSequence } from './run-sequence.ts';

const never = new AbortController().signal;

async function told(phases: readonly Phase[], signal = never): Promise<{ lines: string[]; error?: unknown }> {
  const lines: string[] = [];
  const tell = (event: NodeEvent) => {
    if (event.kind === 'sequence') lines.push(`sequence ${event.action}`);
    if (event.kind === 'sequence-failed') lines.push(`${event.error.code}: ${event.error.message}`);
    if (event.kind === 'phase') lines.push(`phase ${event.phase} ${event.action}`);
    if (event.kind === 'task') lines.push(`task ${event.task} ${event.action}`);
  };
  try {
    await runSequence({ name: 'boot', phases }, { tell }, signal);
    return { lines };
  } catch (error) {
    return { lines, error };
  }
}

test('a sequence publishes its phases and tasks in their order', async () => {
  const { lines, error } = await told([
    { name: 'a', tasks: { one: () => {} } },
    { name: 'b', tasks: { two: async () => {} } },
  ]);
  assert.equal(error, undefined);
  assert.deepEqual(lines, [
    'sequence start',
    ...['phase a start', 'task one start', 'task one stop', 'phase a stop'],
    ...['phase b start', 'task two start', 'task two stop', 'phase b stop'],
    'sequence stop',
  ]);
});

test('the first task that fails cancels the tasks beside it and ends the sequence', async () => {
  const failure = new Error('no disk');
  const { lines, error } = await told([
    {
      name: 'a',
      tasks: {
        waits: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
        fails: async () => {
          throw failure;
        },
      },
    },
    { name: 'b', tasks: { never: () => {} } },
  ]);
  assert.equal(error, failure);
  assert.deepEqual(lines, [
    ...['sequence start', 'phase a start', 'task waits start', 'task fails start'],
    ...['task fails stop', 'task waits stop', 'phase a stop', 'sequence stop'],
    'fatal: sequence failed: no disk',
  ]);
});

test('a sequence whose signal aborts ends as cancelled', async () => {
  const stop = new AbortController();
  const waiting = told(
    [
      {
        name: 'a',
        tasks: {
          waits: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
        },
      },
    ],
    stop.signal,
  );
  stop.abort();
  const { lines } = await waiting;
  assert.equal(lines.at(-1), 'cancelled: sequence failed: task waits was cancelled');
});
