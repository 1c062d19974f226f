import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import {
  calmMs,
  failingMs,
  forgottenMs,
  longestWithoutMs,
  pauseAfter,
  restAfterChange,
} from '../domain/check-timing.ts';
import type { HealthResult } from '../protocol/messages.ts';
import type { CheckOutcome } from './cluster-checks.ts';
import { HealthWatch } from './health-watch.ts';

const passed: CheckOutcome = { name: 'etcd to be healthy', state: 'passed' };

/** A watch whose checks a test answers. */
function openWatch() {
  const runs: { readonly signal: AbortSignal; readonly end: (outcomes: readonly CheckOutcome[]) => void }[] =
    [];
  const results: HealthResult[] = [];
  const rig = {
    ...{ runs, results, nodesNumber: 1, isClosed: false, forgotten: 0 },
    /** How far the clock of the watch is ahead. */
    aheadMs: 0,
    watch: undefined as unknown as HealthWatch,
  };
  rig.watch = new HealthWatch({
    open: () => ({
      run: (signal) => {
        const { promise, resolve, reject } = Promise.withResolvers<readonly CheckOutcome[]>();
        signal.addEventListener('abort', () => reject(new Error('ended')));
        runs.push({ signal, end: resolve });
        return promise;
      },
      [Symbol.dispose]: () => {
        rig.isClosed = true;
      },
    }),
    nowMs: () => Date.now() + rig.aheadMs,
    nodesNumber: () => rig.nodesNumber,
    onHealth: (result) => results.push(result),
    onForgotten: () => {
      rig.forgotten += 1;
    },
  });
  return rig;
}

const runsOf = (rig: ReturnType<typeof openWatch>, count: number) =>
  eventually(() => rig.runs.length >= count, { what: `${count} runs of the checks`, timeoutMs: 10_000 });

test('HealthWatch starts the checks again as soon as a node has changed, and says which nodes a result is about', async () => {
  const rig = openWatch();
  rig.watch.start();
  await runsOf(rig, 1);
  rig.runs[0]?.end([passed]);
  await eventually(() => rig.results.length === 1, { what: 'result' });
  const beganMs = Date.now();
  rig.nodesNumber = 2;
  rig.watch.changed();
  await runsOf(rig, 2);
  assert.ok(Date.now() - beganMs < 7_500, 'long before the next interval of 15 s');
  rig.runs[1]?.end([passed]);
  await eventually(() => rig.results.length === 2, { what: 'second result' });
  assert.deepEqual(
    rig.results.map(({ ofNodes }) => ofNodes),
    [1, 2],
  );
  rig.watch.stop();
  await eventually(() => rig.isClosed, { what: 'closed checks' });
});

test('HealthWatch ends a run that a change has made worthless, and its end is no result', async () => {
  const rig = openWatch();
  rig.watch.start();
  await runsOf(rig, 1);
  rig.nodesNumber = 2;
  rig.watch.changed();
  await runsOf(rig, 2);
  assert.deepEqual([rig.runs[0]?.signal.aborted, rig.results], [true, []]);
  rig.runs[1]?.end([passed]);
  await eventually(() => rig.results.length === 1, { what: 'result' });
  assert.deepEqual([rig.results[0]?.ofNodes, rig.results[0]?.problem], [2, undefined]);
  rig.watch.stop();
});

test('HealthWatch runs again after a result about nodes that have changed meanwhile', async () => {
  const rig = openWatch();
  rig.watch.start();
  await runsOf(rig, 1);
  rig.nodesNumber = 2;
  rig.watch.changed();
  rig.runs[0]?.end([passed]);
  await runsOf(rig, 2);
  assert.deepEqual(
    rig.results.map(({ ofNodes }) => ofNodes),
    [1],
  );
  rig.watch.stop();
});

test('checks repeat sooner while something fails, and a cluster that always changes gets a result too', () => {
  const check = { name: 'a', sinceMs: 0 };
  assert.equal(pauseAfter([{ ...check, state: 'passed' }], undefined), calmMs);
  assert.equal(pauseAfter([{ ...check, state: 'failed' }], undefined), failingMs);
  assert.equal(pauseAfter([], 'no route'), failingMs);
  assert.equal(restAfterChange({ startedMs: 1000, resultMs: 0 }, 1300), 700);
  assert.equal(restAfterChange({ startedMs: 1000, resultMs: 0 }, 5000), 0);
  assert.equal(restAfterChange({ startedMs: 1000, resultMs: 0 }, longestWithoutMs), undefined);
});

test('HealthWatch forgets its results when nobody has looked for long, and keeps them while a page is loaded again', async () => {
  const rig = openWatch();
  /** Looks after a time in which nobody did. @returns since when the check has its state */
  const lookAfter = async (ms: number) => {
    rig.aheadMs += ms;
    const { length } = rig.results;
    rig.watch.start();
    await runsOf(rig, length + 1);
    rig.runs[length]?.end([passed]);
    await eventually(() => rig.results.length > length, { what: 'result' });
    rig.watch.stop();
    return rig.results[length]?.checks[0]?.sinceMs;
  };
  const first = await lookAfter(0);
  assert.equal(await lookAfter(1000), first);
  assert.equal(rig.forgotten, 0);
  const lookedAgainMs = Date.now() + rig.aheadMs + forgottenMs;
  const again = (await lookAfter(forgottenMs)) ?? 0;
  assert.ok(again >= lookedAgainMs, `${lookedAgainMs - again} ms too early`);
  assert.equal(rig.forgotten, 1);
});
