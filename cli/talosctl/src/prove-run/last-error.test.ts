import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TemporaryFolder } from '../context/temporary-folder.ts';
import { errorIn, lastError } from './last-error.ts';

const log = [
  'I1130 20:10:00.000000       1 options.go:1] fine',
  'E1130 20:10:01.000000       1 run.go:1] first',
  'Error: unknown flag: --not-a-flag',
  'E1130 20:10:02.000000       1 run.go:1] last',
  'W1130 20:10:03.000000       1 run.go:1] warned',
].join('\n');

test('errorIn() prefers the line with which a program ends, takes its last error otherwise, and no other line', () => {
  assert.equal(errorIn(log), 'Error: unknown flag: --not-a-flag');
  assert.match(errorIn(log.replace('Error: ', '')) ?? '', /run\.go:1\] last$/);
  assert.equal(errorIn('I1130 20:10:00.000000 1 a.go:1] fine\n'), undefined);
  assert.equal(errorIn(`Error: ${'x'.repeat(10_000)}`)?.length, 400);
});

test('lastError() reads the end of the logs of the nodes, and finds nothing where there is no cluster', async () => {
  await using folder = await TemporaryFolder.create('last-error-');
  assert.equal(await lastError(folder.path), undefined);
  const logs = join(folder.path, 'nodes', 'node02', 'var', 'log');
  mkdirSync(logs, { recursive: true });
  mkdirSync(join(folder.path, 'nodes', 'node01'));
  writeFileSync(join(logs, 'kube-apiserver.log'), `${'I1130 x\n'.repeat(20_000)}${log}\n`);
  assert.equal(await lastError(folder.path), 'Error: unknown flag: --not-a-flag');
});
