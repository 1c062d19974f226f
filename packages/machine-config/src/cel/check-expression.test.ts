import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkExpression, typeOfExpression } from './check-expression.ts';
import { maxCheckSteps, maxExpressionDepth, maxExpressionLength, maxReportedProblems } from './limits.ts';

test('checkExpression() accepts an expression of the type that the field needs', () => {
  assert.equal(checkExpression('disk.size > 120u', 'disk', 'bool'), undefined);
  assert.equal(checkExpression('1.0', 'oom-ranking', 'double'), undefined);
});

test('checkExpression() names the type that the field needs and the type of the expression', () => {
  assert.equal(
    checkExpression('disk.size', 'disk', 'bool'),
    'must be an expression of type bool: this one is of type uint',
  );
  assert.equal(
    checkExpression('dyn(true)', 'disk', 'bool'),
    'must be an expression of type bool: this one is of type dyn',
  );
});

test('checkExpression() reports every problem with its line and column', () => {
  assert.equal(
    checkExpression('disk.size > 120 &&\n  nosuch == 1 || disk.model > 1u', 'disk', 'bool'),
    "is not a valid expression: 1:11: found no matching overload for '_>_' applied to '(uint, int)': number types cannot be mixed: an unsigned number ends in u, as in 120u; " +
      '2:3: undeclared reference to "nosuch"; ' +
      "2:29: found no matching overload for '_>_' applied to '(string, uint)'",
  );
});

test('columns count Unicode code points', () => {
  assert.equal(checkExpression('"é😀" > 1', 'disk', 'bool')?.includes(': 1:6:'), true);
});

test(`at most ${maxReportedProblems} problems are reported`, () => {
  const problem = checkExpression(Array.from({ length: 9 }, (_, i) => `a${i}`).join(' && '), 'disk', 'bool');
  assert.match(problem ?? '', /"a4"; and 4 more$/);
});

/** The type of the expression, or the message of its problem without the position. */
const outcome = (text: string) => {
  const result = typeOfExpression(text, 'oom-trigger');
  return 'type' in result ? result.type : result.problem.replace(/^\d+:\d+: /, '');
};

const tooDeep = `the expression nests deeper than ${maxExpressionDepth} levels`;
const tooMany = `too complex: the check took more than ${maxCheckSteps} steps`;

test('expressions longer than the limit are rejected', () => {
  const fitting = `"${'a'.repeat(maxExpressionLength - 2)}"`;
  assert.equal(outcome(fitting), 'string');
  assert.equal(outcome(`${fitting} `), `the expression is longer than ${maxExpressionLength} characters`);
});

test('expressions nested deeper than the limit are rejected, for every kind of nesting', () => {
  const nestings: Record<string, (levels: number) => string> = {
    brackets: (levels) => `${'('.repeat(levels)}1${')'.repeat(levels)}`,
    lists: (levels) => `${'['.repeat(levels)}1${']'.repeat(levels)}`,
    maps: (levels) => `${'{1:'.repeat(levels)}1${'}'.repeat(levels)}`,
    calls: (levels) => `${'dyn('.repeat(levels)}1${')'.repeat(levels)}`,
    indexes: (levels) => `dyn(1)${'[0]'.repeat(levels)}`,
    selections: (levels) => `dyn(1)${'.a'.repeat(levels)}`,
    sums: (levels) => `1${'+1'.repeat(levels)}`,
    comparisons: (levels) => `true${'==true'.repeat(levels)}`,
    conditions: (levels) => `${'true?1:'.repeat(levels)}1`,
    macros: (levels) => `${'[1].map(x,'.repeat(levels)}1${')'.repeat(levels)}`,
  };
  for (const [name, nest] of Object.entries(nestings)) {
    // CEL requires at least 32 levels. One level of some of these counts as two levels here.
    assert.doesNotMatch(outcome(nest(100)), /levels/, name);
    assert.equal(outcome(nest(maxExpressionDepth + 1)), tooDeep, name);
    assert.equal(outcome(nest(2_000)), tooDeep, name);
  }
});

test('long flat chains do not count as nesting', () => {
  assert.equal(outcome(Array(5_000).fill('true').join('&&')), 'bool');
  assert.equal(outcome(Array(5_000).fill('true').join('||')), 'bool');
  assert.equal(outcome(`[${Array(15_000).fill('1').join()}]`), 'list(int)');
  assert.equal(outcome(`${'!'.repeat(30_000)}true`), 'bool');
  assert.equal(outcome(`${'-'.repeat(30_000)}1`), 'int');
});

test('a type whose text grows exponentially is rejected', () => {
  const doubling = `[1]${Array.from({ length: 60 }, (_, i) => `.map(v${i}, {v${i}: v${i}})`).join('')}`;
  assert.equal(outcome(`${doubling} == 1`), tooMany);
  assert.equal(outcome(`${doubling} == ${doubling}`), tooMany);
});

test('type variables that refer to each other twice are rejected once they exceed the step limit', () => {
  const names = Array.from({ length: 40 }, (_, i) => `v${i}`);
  const opening = names.map((name) => `[[]].all(${name}, `).join('');
  const bindings = names.slice(1).map((name, i) => `v${i} == [{${name}: ${name}}]`);
  assert.equal(outcome(`${opening}${bindings.join(' && ')}${')'.repeat(40)}`), 'bool');
  assert.equal(outcome(`${opening}${[...bindings, 'v0 == 1'].join(' && ')}${')'.repeat(40)}`), tooMany);
});

test('a recursive type is rejected', () => {
  assert.match(outcome('[[]].all(x, x == [x])'), /^found no matching overload for '_==_'/);
  assert.match(outcome('[].map(x, [x]).exists(x, x == [x])'), /^found no matching overload for '_==_'/);
});

test('a problem message shortens a long literal', () => {
  const problem = outcome(`1 + "${'a'.repeat(5_000)}" "${'b'.repeat(5_000)}"`);
  assert.ok(problem.length < 500, `${problem.length}`);
  assert.match(outcome('9'.repeat(30_000)), /^invalid int literal 9+…$/);
});

test('property names of JavaScript objects are undeclared names in CEL', () => {
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    assert.equal(outcome(name), `undeclared reference to "${name}"`);
    assert.equal(outcome(`${name}()`), `undeclared reference to "${name}"`);
    assert.equal(outcome(`"a".${name}()`), `undeclared reference to "${name}"`);
    assert.equal(outcome(`${name}{}`), `undeclared reference to "${name}"`);
    assert.equal(outcome(`google.protobuf.Duration{${name}: 1}`), `undefined field "${name}"`);
  }
});
