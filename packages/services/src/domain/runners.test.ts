import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Latch, waitingText } from './condition.ts';
import { createInProcessRunner } from './in-process-runner.ts';
import { type RestartRunnerInit, restartRunner } from './restart-runner.ts';
import type { ReportRunner, Runner } from './runner.ts';

const never = new AbortController().signal;

function recorder(): { report: ReportRunner; told: string[] } {
  const told: string[] = [];
  return { told, report: (event, message) => told.push(`${event}: ${message}`) };
}

const forever = (init: Pick<RestartRunnerInit, 'intervalMs' | 'sleep'>) =>
  ({ policy: 'forever', now: () => 0, ...init }) as const;

test('restartRunner() runs again after every end and adds the reason to the history', async () => {
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
  await restartRunner(inner, forever({ intervalMs: 5000, sleep })).run(report, stop.signal);
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

test('restartRunner() does not run again after a stop', async () => {
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
  await restartRunner(inner, forever({ intervalMs: 1, sleep: async () => {} })).run(report, stop.signal);
  assert.deepEqual([runs, told], [1, []]);
});

/** Ends after `ranMs` each time, with these errors in turn. */
function mortal(ends: (string | undefined)[], ranMs = 0) {
  let nowMs = 0;
  const pauses: number[] = [];
  const inner: Runner = {
    text: 'P',
    async run(report) {
      report('run', 'up');
      nowMs += ranMs;
      const end = ends.shift();
      if (end !== undefined) throw new Error(end);
    },
  };
  const sleep = async (ms: number, signal: AbortSignal) => {
    signal.throwIfAborted();
    pauses.push(ms / 1000);
  };
  return { inner, pauses, init: { intervalMs: 5000, now: () => nowMs, sleep } };
}

test('restartRunner() increases the pause in a crash loop, and never after long runs', async () => {
  const ends = (count: number) => [...Array<string>(count).fill('boom'), undefined];
  const loop = mortal(ends(10));
  await restartRunner(loop.inner, { ...loop.init, policy: 'untilSuccess' }).run(() => {}, never);
  assert.deepEqual(loop.pauses, [5, 5, 5, 5, 5, 10, 20, 40, 60, 60]);
  const lasting = mortal(ends(10), 10_000);
  await restartRunner(lasting.inner, { ...lasting.init, policy: 'untilSuccess' }).run(() => {}, never);
  assert.deepEqual(lasting.pauses, Array(10).fill(5));
});

test('restartRunner() runs until it succeeds, or once, depending on the policy', async () => {
  const { report, told } = recorder();
  const failing = mortal(['boom', undefined]);
  const untilSuccess = restartRunner(failing.inner, { ...failing.init, policy: 'untilSuccess' });
  await untilSuccess.run(report, never);
  assert.equal(untilSuccess.text, 'Restart(UntilSuccess, P)');
  assert.deepEqual(told, [
    'run: up',
    'restart: Error running P, going to restart until it succeeds: boom',
    'run: up',
  ]);
  for (const end of ['boom', undefined]) {
    const once = mortal([end]);
    const ended = restartRunner(once.inner, { ...once.init, policy: 'once' }).run(report, never);
    if (end === undefined) await ended;
    else await assert.rejects(ended, { message: 'boom' });
    assert.deepEqual(once.pauses, []);
  }
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

test('waitingText() names the conditions that are not met', () => {
  const conditions = [new Latch('api certificates'), new Latch('config to be ready')];
  assert.equal(waitingText(conditions), 'Waiting for api certificates, config to be ready');
  conditions[0]?.meet();
  assert.equal(waitingText(conditions), 'Waiting for config to be ready');
  conditions[1]?.meet();
  assert.equal(waitingText(conditions), undefined);
  assert.equal(waitingText([]), undefined);
});
