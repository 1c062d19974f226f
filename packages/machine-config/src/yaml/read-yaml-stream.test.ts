import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configurationLimits } from './configuration-limits.ts';
import { encodeYaml } from './encode-yaml.ts';
import { readYamlNodes, readYamlStream } from './read-yaml-stream.ts';
import { valueFromNode } from './value-from-node.ts';

const valuesOf = (text: string) => readYamlNodes(text).map(({ root }) => valueFromNode(root));

test('readYamlStream() rejects deep nesting in every notation and reports its position', () => {
  const rows: [string, string][] = [
    [`a: ${'['.repeat(10_000)}`, 'document 1, line 1, column 205'],
    [`---\nx: y\n---\na: ${'{a: '.repeat(10_000)}`, 'document 2, line 4, column 805'],
    [`kind: X\n${'- '.repeat(10_000)}\nx: y\n`, 'document 1, line 2, column 406'],
    [`a:\n  ${'- '.repeat(10_000)}`, 'document 1, line 2, column 404'],
    [
      Array.from({ length: 300 }, (_, level) => `${' '.repeat(level)}a:\n`).join(''),
      'document 1, line 202, column 203',
    ],
  ];
  for (const [text, position] of rows)
    assert.throws(() => readYamlStream(text), {
      kind: 'invalid-argument',
      message: `decode error: ${position}: nested more than 200 levels deep`,
    });
});

test('readYamlStream() resolves an alias to the last preceding node with the anchor', () => {
  assert.deepEqual(valuesOf('a: &x 1\nb: *x\nc: &x {d: &y [2], e: *y}\nf: *x\ng: *y\n'), [
    { a: 1, b: 1, c: { d: [2], e: [2] }, f: { d: [2], e: [2] }, g: [2] },
  ]);
  assert.throws(() => valuesOf('a: 1\nb: *x\nc: &x 2\n'), /line 2, column 4: /);
  assert.throws(() => valuesOf('a: &x 1\n---\nb: *x\n'), /document 2, line 3, column 4: /);
});

test('readYamlStream() rejects nested aliases quickly', () => {
  for (const body of [
    (level: number) => `[${Array(9).fill(`*l${level}`).join(', ')}]`,
    (level: number) => `{a: *l${level}, b: *l${level}}`,
  ]) {
    const levels = Array.from({ length: 60 }, (_, level) => `l${level + 1}: &l${level + 1} ${body(level)}`);
    const started = process.cpuUsage();
    assert.throws(
      () => readYamlStream(`l0: &l0 {a: b}\n${levels.join('\n')}\n`),
      /line \d+, column \d+: aliases repeat more than 30,000 keys and values/,
    );
    assert.equal(process.cpuUsage(started).user < 15e6, true);
  }
});

test('readYamlStream() stops at the first error of a text with many errors', () => {
  const rows: [string, string][] = [
    [`{}\n${'k: v\n'.repeat(150_000)}`, 'document 1, line 2, column 1: unexpected scalar at node end'],
    [
      `a: b\n---\n{}\n${'k: v\n'.repeat(150_000)}`,
      'document 2, line 4, column 1: unexpected scalar at node end',
    ],
    [`a:\n${'  b: c: d\n'.repeat(60_000)}`, 'document 1, line 200, column 10: nested more than'],
    [`a: [${'b c: ,'.repeat(60_000)}`, 'document 1, line 1, column '],
    [`${'%X\n'.repeat(50_000)}---\na: "`, 'document 1, line 50002, column '],
  ];
  for (const [text, expected] of rows) {
    const started = process.cpuUsage();
    assert.throws(
      () => readYamlStream(text),
      (error: Error) => error.message.startsWith(`decode error: ${expected}`) || assert.fail(error.message),
    );
    assert.equal(process.cpuUsage(started).user < 4e6, true, expected);
  }
});

test('a text with many lines and a mapping merged from many sources can be decoded and encoded', () => {
  const [value] = valuesOf(`a: |\n${'  x\n'.repeat(150_000)}`);
  assert.deepEqual(valuesOf(encodeYaml(value as Exclude<typeof value, undefined>)), [value]);
  assert.deepEqual(valuesOf(`a: &a {b: c}\nd: {<<: [${Array(900).fill('*a').join(',')}]}`), [
    { a: { b: 'c' }, d: { b: 'c' } },
  ]);
});

test('readYamlStream() names the limit that a configuration exceeds', () => {
  const { sizeBytes, documents, nodes, aliases, words } = configurationLimits;
  const rows: [string, string][] = [
    [`a: ${'x'.repeat(sizeBytes)}`, 'the text is longer than 8 MiB'],
    [`a: ${'\u00e4'.repeat(sizeBytes / 2)}`, 'the text is longer than 8 MiB'],
    ['a: b\n---\n'.repeat(documents + 1), 'more than 1,000 documents'],
    [`a: [${'b,'.repeat(nodes)}]`, 'more than 30,000 keys and values'],
    [`a:\n${'-\n'.repeat(nodes)}`, 'more than 30,000 keys and values'],
    [`a: [${'[],'.repeat(nodes)}]`, 'more than 30,000 keys and values'],
    [`a: &a b\nc: [${'*a,'.repeat(aliases + 1)}]`, 'more than 1,000 aliases'],
    [`a: b\n${'\n'.repeat(words)}`, 'more than 200,000 words, line ends and comments'],
    [`a: b\n${'#\n'.repeat(words)}`, 'more than 200,000 words, line ends and comments'],
  ];
  for (const [text, expected] of rows) {
    assert.throws(
      () => readYamlStream(text),
      (error: Error) => error.message.endsWith(expected) || assert.fail(`${error.message}, not ${expected}`),
    );
  }
});

test('readYamlStream() accepts large configurations with megabytes of manifests', () => {
  const manifest = `a: |\n${'  - name: "a long line of a manifest, *with &marks: of #its own\n'.repeat(110_000)}`;
  assert.equal(Buffer.byteLength(manifest) > 6 * 1024 ** 2, true);
  assert.equal(readYamlStream(`${manifest}---\n${'b: c\n---\n'.repeat(500)}`).length, 501);
  const lines = Array.from({ length: 12_000 }, (_, at) => `  key${at}: value # a comment\n`).join('');
  assert.equal(readYamlStream(`a:\n${lines}`).length, 1);
});
