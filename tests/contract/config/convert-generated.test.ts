import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertGenerated } from '../../fuzz/convert/convert-generated.ts';

// A short run of `make test-convert`; a failure names its seed.

const forMilliseconds = 2500;
/** Converted also on a machine that is busy with other tests. */
const leastRuns = 10;

test('no conversion of a generated configuration changes what a node does without a line', () => {
  const seed = 1 + (Date.now() % 1e9);
  const started = performance.now();
  const until = (done: number) => done >= leastRuns && performance.now() - started > forMilliseconds;
  const { converted } = convertGenerated({ seed, runs: 20_000, until });
  assert.ok(converted >= leastRuns / 2, `${converted} from seed ${seed} on`);
});
