import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findByName } from './find-files.ts';

const files = ['packages/a/src/log.test.ts', 'services/b/src/log.test.ts', 'services/b/src/log-file.test.ts'];

test('findByName() prefers exact names, with or without their end, to parts of paths', () => {
  assert.deepEqual(findByName(files, 'log'), files.slice(0, 2));
  assert.deepEqual(findByName(files, 'log-file.test.ts'), files.slice(2));
  assert.deepEqual(findByName(files, 'packages/a/src/log.test.ts'), files.slice(0, 1));
  assert.deepEqual(findByName(files, 'services/b'), files.slice(1));
  assert.deepEqual(findByName(files, 'nothing'), []);
});
