import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Latch, waitingText } from './condition.ts';
import { createInProcessRunner } from './in-process-runner.ts';
import { restartForever } from './restart-forever.ts';
import type { ReportRunner, Runner } from './runner.ts';

function recorder(): { report: ReportRunner; told: string[] } {
  const told: string[] = [];
  return { told, report: (event, message) => told.push(`${event}: ${message}`) };
}

test('restartForever() runs again after every end and says why', async () => {
  const ends: (Error | undefined)[] = [new Error('exit status 1'), undefined, new Error('killed')];
  const stop = new AbortController();
  const pauses: number[] = [];
  const inner: Runner = {
    text: 'Process(["x"])',
    async run(report) {
      report('run', 'up');
      const end = ends.shift();
      if (end) throw end;
    },
  };
  const sleep = async (ms: number) => {
    pauses.push(ms);
    if (pauses.length === 3) stop.abort();
  };
  const { report, told } = recorder();
  await restartForever(inner, { intervalMs: 5000, sleep }).run(report, stop.signal);
  assert.deepEqual(pauses, [5000, 5000, 5000]);
  assert.deepEqual(told, [
    'run: up',
    'restart: Error running Process(["x"]), going to restart forever: exit status 1',
    'run: up',
    'restart: Runner Process(["x"]) exited without error, going to restart it',
    'run: up',
    'restart: Error running Process(["x"]), going to restart forever: killed',
    'signal: Aborting restart sequence',
  ]);
});

test('restartForever() does not run again what was stopped', async () => {
  const stop = new AbortController();
  let runs = 0;
  const inner: Runner = {
    text: 'x',
    async run() {
      runs++;
      stop.abort();
      throw new Error('interrupted');
    },
  };
  const { report, told } = recorder();
  await restartForever(inner, { intervalMs: 1, sleep: async () => {} }).run(report, stop.signal);
  assert.deepEqual([runs, told], [1, []]);
});

test('createInProcessRunner() runs until it is stopped', async () => {
  const stop = new AbortController();
  const { report, told } = recorder();
  const run = createInProcessRunner('machined').run(report, stop.signal);
  assert.deepEqual(told, ['run: Service started as goroutine']);
  stop.abort();
  await run;
  assert.deepEqual(told.slice(1), ['signal: Service stopping']);
});

test('waitingText() names the conditions that are still open', () => {
  const conditions = [new Latch('api certificates'), new Latch('config to be ready')];
  assert.equal(waitingText(conditions), 'Waiting for api certificates, config to be ready');
  conditions[0]?.meet();
  assert.equal(waitingText(conditions), 'Waiting for config to be ready');
  conditions[1]?.meet();
  assert.equal(waitingText(conditions), undefined);
  assert.equal(waitingText([]), undefined);
});
