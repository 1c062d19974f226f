import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatType } from './format-type.ts';
import { parseOverload, parseType } from './parse-type.ts';
import { StepBudget } from './step-budget.ts';

test('parseType() reads what formatType() writes', () => {
  for (const text of [
    'int',
    'list(int)',
    'map(string, list(dyn))',
    'optional_type(map(int, double))',
    'common.NetIP',
  ])
    assert.equal(formatType(parseType(text), new StepBudget()), text);
});

test('parseOverload() reads functions and methods', () => {
  const { isMethod, operands, result, variables } = parseOverload('map(A, B).(A, int) -> list(B)');
  assert.deepEqual([isMethod, operands.map(({ name }) => name)], [true, ['map', 'A', 'int']]);
  assert.deepEqual([result.name, variables], ['list', ['A', 'B']]);
  assert.deepEqual(parseOverload('() -> int').operands, []);
});

test('malformed declarations are rejected', () => {
  for (const text of ['', 'integer', 'list', 'list(int', 'map(int)', 'int int', 'list(int, int)'])
    assert.throws(() => parseType(text), RangeError, text);
  for (const text of ['int', '(int)', '(int -> int', '(integer) -> int'])
    assert.throws(() => parseOverload(text), RangeError, text);
});
