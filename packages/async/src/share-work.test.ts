import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareWork } from './share-work.ts';

/** Work whose runs the test ends. */
function controlledWork() {
  const runs: PromiseWithResolvers<number>[] = [];
  const work = shareWork(() => {
    const run = Promise.withResolvers<number>();
    runs.push(run);
    return run.promise;
  });
  const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));
  return { runs, work, turn };
}

test('shareWork() shares the next run among all callers that come during a run', async () => {
  const { runs, work, turn } = controlledWork();
  const first = work();
  const [second, third] = [work(), work()];
  await turn();
  assert.equal(runs.length, 1);
  runs[0]?.resolve(1);
  assert.equal(await first, 1);
  await turn();
  const fourth = work();
  assert.equal(runs.length, 2);
  runs[1]?.resolve(2);
  assert.deepEqual([await second, await third], [2, 2]);
  await turn();
  assert.equal(runs.length, 3);
  runs[2]?.resolve(3);
  assert.equal(await fourth, 3);
  await turn();
  void work();
  assert.equal(runs.length, 4);
});

test('shareWork() passes a failure to the callers of that run alone', async () => {
  const { runs, work, turn } = controlledWork();
  const [first, second] = [work(), work()];
  runs[0]?.reject(new Error('no'));
  await assert.rejects(first, /no/);
  await turn();
  runs[1]?.resolve(2);
  assert.equal(await second, 2);
});
