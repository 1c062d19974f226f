// Node's recursive mkdir never returns where the kernel refuses new folders, such as below /proc.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const checkout = join(import.meta.dirname, '..', '..');
const endlessMkdir = /\bmkdir(Sync)?\([^;]*\brecursive\b/;

test('programs of nodes and of users create folders only with makeFolder()', () => {
  // packages/build runs only where the project is built.
  const files = globSync('{packages,services,cli}/*/src/**/*.ts', { cwd: checkout }).filter(
    (file) => !/\.test\.ts$|\/testing\/|\/testkit\/|^packages\/build\//.test(file),
  );
  const found = files.filter((file) => endlessMkdir.test(readFileSync(join(checkout, file), 'utf8')));
  assert.deepEqual(found, [], 'use makeFolder of @nodewright/files');
  assert.ok(files.length > 100);
  assert.match('await mkdir(folder, { recursive: true });', endlessMkdir);
});
