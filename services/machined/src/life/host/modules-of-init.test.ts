import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modulesAreLoaded } from './modules-of-init.ts';

const stat = (pid: number, state: string) =>
  `${pid} (init) ${state} 1 0 0 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0 100 4096 1 0`;
const files =
  (...rows: Readonly<Record<string, string>>[]) =>
  (path: string) => {
    const row = rows[0] ?? {};
    // The child has changed by the next look.
    if (path.endsWith('/stat') && rows.length > 1) rows.shift();
    return row[path] === undefined ? undefined : Buffer.from(row[path]);
  };
const children = { '/proc/1/task/1/children': '42 ' };

test('a machine without a child of the init goes on at once', async () => {
  assert.equal(await modulesAreLoaded(files({ '/proc/1/task/1/children': '' }), 0), true);
  assert.equal(await modulesAreLoaded(files({}), 0), true);
});

test('machined waits until the child of the init has ended', async () => {
  const rows = ['R', 'D', 'Z'].map((state) => ({ ...children, '/proc/42/stat': stat(42, state) }));
  assert.equal(await modulesAreLoaded(files(...rows), 10_000), true);
});

test('a child that was removed from the process table has ended', async () => {
  assert.equal(await modulesAreLoaded(files(children), 0), true);
});

test('machined goes on without modules that are not loaded in time', async () => {
  assert.equal(await modulesAreLoaded(files({ ...children, '/proc/42/stat': stat(42, 'D') }), 30), false);
});
