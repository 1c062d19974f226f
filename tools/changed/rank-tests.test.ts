import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rankTests, usesPrograms } from './rank-tests.ts';
import { programNode, type SourceGraph } from './source-graph.ts';

const edges = (...targets: string[]) => targets.map((to) => ({ to, distance: 1 }));
const graph: SourceGraph = new Map([
  ['src/log.test.ts', edges('src/log.ts')],
  ['src/far.test.ts', edges('src/index.ts')],
  ['src/log-index.test.ts', edges('src/index.ts')],
  ['src/other.test.ts', edges('src/other.ts')],
  ['src/index.ts', edges('src/log.ts')],
  ['tests/daemon.test.ts', edges(programNode('daemon'))],
  [programNode('daemon'), edges('src/index.ts')],
]);
const tests = [...graph.keys()].filter((file) => file.endsWith('.test.ts'));
const order = (changed: string[], secondsOf = () => 0) =>
  rankTests(graph, changed, tests, secondsOf).map(({ file }) => file);

test('rankTests() puts near tests first, and of those at one distance the one with a like name', () => {
  assert.deepEqual(order(['src/log.ts']), [
    ...['src/log.test.ts', 'src/log-index.test.ts'],
    ...['src/far.test.ts', 'tests/daemon.test.ts'],
  ]);
});

test('rankTests() leaves out what reaches no changed file, and takes a changed test itself', () => {
  assert.deepEqual(order(['src/other.ts']), ['src/other.test.ts']);
  assert.deepEqual(order(['src/far.test.ts']), ['src/far.test.ts']);
  assert.deepEqual(order(['README.md']), []);
});

test('rankTests() puts the shorter of two like tests first', () => {
  const seconds = (file: string) => (file === 'src/a.test.ts' ? 9 : 1);
  const two: SourceGraph = new Map(
    ['src/a.test.ts', 'src/b.test.ts'].map((file) => [file, edges('src/x.ts')]),
  );
  const ranked = rankTests(two, ['src/x.ts'], [...two.keys()], seconds);
  assert.deepEqual(
    ranked.map(({ file }) => file),
    ['src/b.test.ts', 'src/a.test.ts'],
  );
});

test('usesPrograms() says whether a test needs a build', () => {
  assert.deepEqual(
    ['tests/daemon.test.ts', 'src/log.test.ts'].map((file) => usesPrograms(graph, file)),
    [true, false],
  );
});
