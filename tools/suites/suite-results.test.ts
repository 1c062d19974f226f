import assert from 'node:assert/strict';
import { mkdtempDisposableSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readResults, type SuiteResult, writeResult } from './suite-results.ts';

const resultOf = (suite: string, failed = 0): SuiteResult => ({
  ...{ suite, commit: 'c', clean: true, tree: 't', passed: 1, failed, skipped: 0, seconds: 1 },
  when: '2026-01-02T03:04:05.000Z',
});

test('results that are written at the same moment are all kept, and a later one replaces that of its suite', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'results-'));
  const names = ['d', 'a', 'c', 'b'];
  await Promise.all(names.map((name) => writeResult(folder.path, resultOf(name))));
  await writeResult(folder.path, resultOf('c', 2));
  const expected = [resultOf('a'), resultOf('b'), resultOf('c', 2), resultOf('d')];
  assert.deepEqual(readResults(folder.path), expected);
  assert.deepEqual(JSON.parse(readFileSync(join(folder.path, '_out/test/last.json'), 'utf8')), expected);
});

test('a folder without results has none', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'results-'));
  assert.deepEqual(readResults(folder.path), []);
});
