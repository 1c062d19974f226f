// What `.ci/run` runs again as an ordinary user: the tests for which it matters who runs them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { suites } from '../../tools/suites/suite-table.ts';
import { matchFiles } from '../../tools/test/find-files.ts';

const checkout = join(import.meta.dirname, '..', '..');
const textOf = (file: string) => readFileSync(join(checkout, file), 'utf8');
const [, words = ''] = /files\[test-user\]='([^']*)'/.exec(textOf('.ci/run')) ?? [];
const patterns = words.split(/\s+/);

/** They ask for the user only to be skipped, in whole or in the part that needs root, and the rest opens no files of others. */
const needRoot = new Set([
  'cli/talosctl/src/context/home-folder.test.ts',
  'packages/provision/src/cluster/cluster-lock.test.ts',
  'packages/provision/src/cluster/socket-lock.test.ts',
  // As root it runs the commands as an ordinary user itself.
  'tests/cluster/process/mistakes.test.ts',
  'tests/house/native-calls.test.ts',
]);

test('CI runs each test that asks who runs it as an ordinary user, too', () => {
  const chosen = new Set(matchFiles(checkout, patterns));
  const all = matchFiles(
    checkout,
    suites.filter(({ verb }) => verb === 'test').flatMap(({ files }) => files),
  );
  const asks = (file: string) => /\bprocess\.gete?uid\b|\bobeysModes: true\b/.test(textOf(file));
  const asking = all.filter((file) => file !== 'tests/house/ordinary-user.test.ts' && asks(file));
  assert.deepEqual(
    asking.filter((file) => !chosen.has(file) && !needRoot.has(file)),
    [],
  );
  assert.ok(asking.length > 20, `${asking.length} files ask`);
  assert.deepEqual(
    [...needRoot].filter((file) => !asking.includes(file) || chosen.has(file)),
    [],
  );
});

test('each pattern of the choice has tests', () => {
  for (const pattern of patterns) assert.ok(matchFiles(checkout, [pattern]).length > 0, pattern);
});
