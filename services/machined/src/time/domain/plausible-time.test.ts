import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { implausibleTime } from './plausible-time.ts';

const day = 24 * 3_600_000;
const builds = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2090, 0, 1) });

test('implausibleTime() believes exactly the times from a day before the build to ten years after it', () => {
  fc.assert(
    fc.property(builds, (builtMs) => {
      const last = new Date(builtMs);
      last.setUTCFullYear(last.getUTCFullYear() + 10);
      const believed = [builtMs - day, builtMs, last.getTime()];
      const refused = [builtMs - day - 1, last.getTime() + 1, Number.NaN, -Infinity, Infinity];
      assert.deepEqual(
        believed.filter((ms) => implausibleTime(ms, builtMs) !== undefined),
        [],
      );
      assert.deepEqual(
        refused.filter((ms) => implausibleTime(ms, builtMs) === undefined),
        [],
      );
    }),
  );
});

test('implausibleTime() has no limits without the time of the build', () => {
  assert.deepEqual(
    [0, Date.UTC(2100, 0, 1)].map((ms) => implausibleTime(ms, undefined)),
    [undefined, undefined],
  );
});
