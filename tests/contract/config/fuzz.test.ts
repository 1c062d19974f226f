import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzConfigurations } from '../../fuzz/config/fuzz-configurations.ts';

// A short run of `make test-config-fuzz`; a failure names its seed.

const forMilliseconds = 2500;
/** Read also on a machine that is busy with other tests. */
const leastTexts = 25;

test('no mutation of a configuration crashes its reader, and every refusal has a position', async () => {
  const seed = 1 + (Date.now() % 1e9);
  const started = performance.now();
  let begun = 0;
  const figures = await fuzzConfigurations({
    seed,
    runs: 100_000,
    until() {
      begun += 1;
      return begun > leastTexts && performance.now() - started > forMilliseconds;
    },
    maxMilliseconds: 2500,
  });
  assert.ok(figures.runs >= leastTexts, `${figures.runs} texts from seed ${seed} on`);
  assert.equal(figures.verdicts.refused > 0 && figures.verdicts.read > 0, true, JSON.stringify(figures));
});
