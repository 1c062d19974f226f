import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PullStep } from '../image-store.ts';
import { createPullReport } from './pull-report.ts';

const done: PullStep = {
  kind: 'done',
  image: { reference: 'a/b:v1', digest: 'sha256:0', sizeBytes: 1, createdAtMs: 0, labels: {} },
};

test('the steps of a pull are the unread ones, the last of each status, then the image', async () => {
  let now = 1000;
  const report = createPullReport(() => now);
  const work = Promise.withResolvers<PullStep>();
  report.layer('one', 'downloading', 1, 10);
  now = 1250;
  report.layer('one', 'downloading', 5, 10);
  report.layer('two', 'already-exists', 3, 3);
  report.layer('one', 'downloaded', 10, 10);
  work.resolve(done);
  const steps: PullStep[] = [];
  for await (const step of report.steps(work.promise, () => assert.fail('nobody left'))) steps.push(step);
  const layer = (
    id: string,
    status: 'downloading' | 'downloaded' | 'already-exists',
    elapsedMs: number,
    of: number,
    total: number,
  ) => ({ kind: 'layer', layer: { id, status, elapsedMs, offsetBytes: of, totalBytes: total } }) as const;
  assert.deepEqual(steps, [
    layer('one', 'downloading', 250, 5, 10),
    layer('two', 'already-exists', 0, 3, 3),
    layer('one', 'downloaded', 250, 10, 10),
    done,
  ]);
});

test('a failed pull ends its steps with the failure', async () => {
  const report = createPullReport(() => 0);
  const steps = report.steps(Promise.reject(new Error('cut')), () => assert.fail('nobody left'));
  await assert.rejects(steps.next(), /cut/);
});

test('leaving the loop over the steps cancels the work, and waits for its end', async () => {
  const report = createPullReport(() => 0);
  const work = Promise.withResolvers<PullStep>();
  const order: string[] = [];
  report.layer('one', 'downloading', 0, 1);
  const leave = () => {
    order.push('left');
    setImmediate(() => {
      order.push('work ended');
      work.reject(new Error('aborted'));
    });
  };
  for await (const _ of report.steps(work.promise, leave)) break;
  assert.deepEqual(order, ['left', 'work ended']);
});
