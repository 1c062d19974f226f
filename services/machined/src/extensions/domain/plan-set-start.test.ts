import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namedSets, planSetStart, type SetNames } from './plan-set-start.ts';

const [a, b] = ['a'.repeat(64), 'b'.repeat(64)];
const none: SetNames = { next: undefined, tried: undefined, active: undefined };

test('planSetStart() keeps a tried set or removal only when the machine runs it, and says what it lacks', () => {
  const cases: readonly (readonly [Partial<SetNames>, string, boolean | undefined, RegExp])[] = [
    [{}, '', undefined, /^$/],
    [{ active: a }, a, undefined, /^$/],
    [{ active: a }, '', undefined, /^the set a+ cannot be used: the machine runs without a set$/],
    [{ tried: a }, a, true, /^$/],
    [{ tried: b, active: a }, b, true, /^$/],
    [
      { tried: b, active: a },
      a,
      false,
      /^the set b+ was tried and the machine did not start well with it: the machine runs a+$/,
    ],
    [
      { tried: b },
      '',
      false,
      /^the set b+ was tried and the machine did not start well with it: the machine runs without a set$/,
    ],
    [{ tried: 'none', active: a }, '', true, /^$/],
    [
      { tried: 'none', active: a },
      a,
      false,
      /^the removal of the set was tried and the machine did not start well/,
    ],
    [{ next: b, active: a }, a, undefined, /^$/],
  ];
  for (const [names, running, keepsTried, problem] of cases) {
    const found = planSetStart({ ...none, ...names }, running);
    assert.equal(found.keepsTried, keepsTried, JSON.stringify(names));
    assert.match(found.problem, problem);
  }
});

test('namedSets() has every set that a file names', () => {
  assert.deepEqual([...namedSets({ next: 'none', tried: b, active: a })], [b, a]);
  assert.deepEqual([...namedSets(none)], []);
});
