import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { methodTable } from '@nodewright/contract';
import { apiDocument, handlerProblems, isBuilt } from '../../tools/api-document/api-document.ts';
import { describeMachined } from '../../tools/api-document/describe-machined.ts';

const checkout = join(import.meta.dirname, '..', '..');
let implemented: ReadonlySet<string>;
before(async () => {
  implemented = (await describeMachined(checkout)).methods;
});

test('machined tells which methods have a handler', () => {
  assert.ok(implemented.has('/machine.MachineService/Version'));
  assert.deepEqual(
    [...implemented].filter((path) => methodTable[path] === undefined),
    [],
  );
});

test('every method has a handler or a reason, and none has both', () => {
  assert.deepEqual(handlerProblems(implemented), []);
});

test('handlerProblems() names a method without both and one with both', () => {
  const row = { roles: [], mutates: false, command: undefined };
  const table = { '/a.S/Missing': row, '/a.S/Done': row, '/a.S/Both': { ...row, notImplemented: 'later' } };
  assert.deepEqual(handlerProblems(new Set(['/a.S/Done', '/a.S/Both']), table), [
    '/a.S/Missing has no handler, and its row in packages/contract/src/method-table.ts has no `notImplemented`',
    '/a.S/Both is implemented: take `notImplemented` out of its row in packages/contract/src/method-table.ts, then make generate',
  ]);
});

test('docs/api.md is what would be generated', async () => {
  const committed = await readFile(join(checkout, 'docs', 'api.md'), 'utf8');
  const lines = committed.split('\n');
  const fresh = (await apiDocument()).split('\n');
  // Only what differs, in both directions.
  const difference = {
    missing: fresh.filter((line) => !lines.includes(line)),
    extra: lines.filter((line) => !fresh.includes(line)),
  };
  assert.deepEqual(difference, { missing: [], extra: [] }, 'run `make generate` and commit the result');
});

test('docs/api.md has a row for every method', async () => {
  const document = await apiDocument();
  for (const part of document.split('\n## ').slice(1)) {
    const [section = '', ...rows] = part.split('\n');
    const methods = Object.keys(methodTable).filter((path) => path.startsWith(`/${section}/`));
    const named = rows.filter((row) => /^\| [A-Z]/.test(row)).map((row) => row.split(/[ |]+/)[1]);
    const ofTrustd = section === 'securityapi.SecurityService' ? ['Certificate'] : [];
    assert.deepEqual(named, [...methods.map((path) => path.split('/')[2]), ...ofTrustd], section);
  }
});

test('isBuilt() looks at subcommands, and takes other words for flags and arguments', () => {
  const commands = new Map([
    ['image', true],
    ['image list', false],
    ['service', false],
  ]);
  const built = (command: string) => isBuilt(command, commands);
  assert.deepEqual(['image list --namespace cri', 'service start', 'image'].map(built), [true, true, true]);
  assert.deepEqual(['image verify', 'upgrade'].map(built), [false, false]);
});
