import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findIn } from './find-in.ts';
import { parseJsonPath } from './parse-json-path.ts';

const value = {
  name: 'node01',
  'dotted.key': 'dotted',
  numbers: [10, 11n, 12, 13],
  nested: { a: { deep: 1 }, b: { deep: 2 } },
  list: [
    { type: 'Ready', status: 'True', weight: 3 },
    { type: 'Other', status: 'False', weight: 5n },
    { status: 'None' },
  ],
};

const found = (template: string) =>
  parseJsonPath(template).flatMap((part) => (part.kind === 'text' ? [part.text] : findIn(value, part.steps)));

test('a JSONPath leads to what it names and to nothing where there is nothing', () => {
  const rows: [string, unknown[]][] = [
    ['{.name}', ['node01']],
    ['{$.name}', ['node01']],
    ['{ .name }', ['node01']],
    ['{.missing.more}', []],
    ['{.name.more}', []],
    ["{['dotted.key']}", ['dotted']],
    ['{.dotted\\.key}', ['dotted']],
    ['{.numbers[0]}', [10]],
    ['{.numbers[-1]}', [13]],
    ['{.numbers[9]}', []],
    ['{.numbers[:]}', [10, 11n, 12, 13]],
    ['{.numbers[1:3]}', [11n, 12]],
    ['{.numbers[::2]}', [10, 12]],
    ['{.numbers[0,2]}', [10, 12]],
    ['{.nested.*.deep}', [1, 2]],
    ['{..deep}', [1, 2]],
    ["{.nested['a','b'].deep}", [1, 2]],
    ['{.list[*].status}', ['True', 'False', 'None']],
    ['{.list[?(@.type=="Ready")].status}', ['True']],
    ["{.list[?(@.type != 'Ready')].status}", ['False', 'None']],
    ['{.list[?(@.type)].status}', ['True', 'False']],
    ['{.list[?(@.weight>=4)].type}', ['Other']],
    ['{.list[?(@.weight==5)].type}', ['Other']],
    ['{.numbers[?(@<11)]}', [10]],
    ['id {.name}, {"text"}', ['id ', 'node01', ', ', 'text']],
    ['{@}', [value]],
    ['{.}', [value]],
    ['{}', [value]],
  ];
  for (const [template, expected] of rows) assert.deepEqual(found(template), expected, template);
});

test('a JSONPath that cannot be read says where', () => {
  for (const template of [
    '{',
    '{.a',
    '{.a[}',
    '{.a[x]}',
    '{.a[?(@.b==]}',
    '{range .a}',
    '{.a..}',
    '{.a[1:2:0]}',
    '{"a}',
  ]) {
    assert.throws(() => parseJsonPath(template), /invalid JSONPath ".*": .*expected|positive/, template);
  }
});
