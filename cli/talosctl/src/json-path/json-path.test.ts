import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findByTemplate } from './find-by-template.ts';
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

const found = (template: string) => findByTemplate(parseJsonPath(template), value);

test('a JSONPath selects what it names, and nothing when that is missing', () => {
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

test('a range repeats its body for each item that its path selects', () => {
  const rows: [string, unknown[]][] = [
    ['{range .list[*]}{.type}={.status}{end}', ['Ready', '=', 'True', 'Other', '=', 'False', '=', 'None']],
    ['{range .numbers[0:2]}{@}{"\\n"}{end}end', [10, '\n', 11n, '\n', 'end']],
    ['{range .list[?(@.weight<5)]}{.type}{end}', ['Ready']],
    ['{range .missing[*]}{.type}{end}{.name}', ['node01']],
    ['{range .nested}{range .*}{.deep} {end}{end}', [1, ' ', 2, ' ']],
    ['{ range $.list[-1:] }{ .status }{ end }', ['None']],
    ['{range.list[0]}{.type}{end}', ['Ready']],
    ['{.range}{.end}', []],
  ];
  for (const [template, expected] of rows) assert.deepEqual(found(template), expected, template);
});

test('a JSONPath takes unions of keys, indices and slices in any mixture', () => {
  const rows: [string, unknown[]][] = [
    ["{.list[*]['type','status']}", ['Ready', 'True', 'Other', 'False', 'None']],
    ['{.numbers[0,-1]}', [10, 13]],
    ['{.numbers[1:2,3]}', [11n, 13]],
    ['{.numbers[-2:]}', [12, 13]],
    ['{.numbers[:-2]}', [10, 11n]],
    ["{['name','dotted.key']}", ['node01', 'dotted']],
    ['{..type}', ['Ready', 'Other']],
    ['{.nested..deep}', [1, 2]],
    ['{.list[0].*}', ['Ready', 'True', 3]],
  ];
  for (const [template, expected] of rows) assert.deepEqual(found(template), expected, template);
});

test('the error of an invalid JSONPath names the position', () => {
  for (const template of [
    '{',
    '{.a',
    '{.a[}',
    '{.a[x]}',
    '{.a[?(@.b==]}',
    '{range .a}',
    '{range .a}{.b}',
    '{.a}{end}',
    '{end}',
    '{range}{end}',
    '{.a..}',
    '{.a[1:2:0]}',
    '{"a}',
  ]) {
    assert.throws(() => parseJsonPath(template), /invalid JSONPath ".*": .*expected|positive/, template);
  }
});
