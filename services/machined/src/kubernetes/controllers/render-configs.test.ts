import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { joinVersions } from './render-configs.ts';

test('joinVersions() gives different texts for different versions', () => {
  const versions = fc.array(fc.nat({ max: 200 }), { minLength: 5, maxLength: 5 });
  assert.notEqual(joinVersions([1, 12, 1, 1, 1]), joinVersions([11, 2, 1, 1, 1]));
  fc.assert(
    fc.property(versions, versions, (one, other) => {
      assert.equal(joinVersions(one) === joinVersions(other), one.join() === other.join());
    }),
    { seed: 44 },
  );
});
