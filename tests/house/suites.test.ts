// The table of suites says what runs each test, so that none is forgotten.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { suiteOf, suites } from '../../tools/suites/suite-table.ts';
import { listFiles } from '../../tools/suites/working-tree.ts';
import { matchFiles } from '../../tools/test/find-files.ts';

const checkout = join(import.meta.dirname, '..', '..');

test('some suite runs each test file', () => {
  const files = existsSync(join(checkout, '.git'))
    ? listFiles(checkout)
    : matchFiles(checkout, ['**/*.test.ts']);
  const tests = files.filter((file) => file.endsWith('.test.ts'));
  assert.deepEqual(
    tests.filter((file) => suiteOf(file) === undefined),
    [],
  );
  assert.ok(tests.length > 900);
});

test('each row of the table has files, and its verb runs them as a suite', () => {
  const makefile = readFileSync(join(checkout, 'Makefile'), 'utf8');
  for (const { verb, files } of suites) {
    for (const pattern of files) assert.ok(matchFiles(checkout, [pattern]).length > 0, `${verb}: ${pattern}`);
    const recipe = new RegExp(`^${verb}:.*\\n(?:\\t.*\\n)*\\t@.*\\$\\(suite\\) node `, 'm');
    assert.match(
      makefile,
      recipe,
      `${verb} does not write its result: begin the line of its program with $(suite)`,
    );
  }
});

test('each folder of tests has a row', () => {
  const folders = readdirSync(join(checkout, 'tests'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  const named = suites.flatMap(({ files }) => files.map((pattern) => pattern.split('/')[1] ?? ''));
  const isNamed = (folder: string) => named.some((name) => name.split(/[{},]/).includes(folder));
  assert.deepEqual(
    folders.map(({ name }) => name).filter((name) => !isNamed(name)),
    [],
  );
});
