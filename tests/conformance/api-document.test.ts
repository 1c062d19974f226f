import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { methodTable } from '@nodewright/contract';
import { apiDocument, reasonProblems } from '../../tools/api-document/api-document.ts';
import { implementedMethods } from '../../tools/api-document/implemented-methods.ts';
import { commandOfMethod } from '../../tools/api-document/method-commands.ts';
import { unbuiltMethods } from '../../tools/api-document/unbuilt-methods.ts';

const checkout = join(import.meta.dirname, '..', '..');
let implemented: ReadonlySet<string>;
before(async () => {
  implemented = await implementedMethods(checkout);
});

test('machined tells which methods have a handler', () => {
  assert.ok(implemented.has('/machine.MachineService/Version'));
  assert.deepEqual(
    [...implemented].filter((path) => methodTable[path] === undefined),
    [],
  );
});

test('every method has a handler or a reason, and none has both', () => {
  assert.deepEqual(reasonProblems({ implemented, reasons: unbuiltMethods }), []);
});

test('a method without both, with both, and a reason without a method are told each', () => {
  const version = '/machine.MachineService/Version';
  const { [version]: _, ...others } = Object.fromEntries(
    Object.keys(methodTable).map((path) => [path, 'later']),
  );
  const problems = reasonProblems({
    implemented: new Set(['/machine.MachineService/Memory']),
    reasons: { ...others, '/no.such.Service/Method': 'never' },
  });
  assert.deepEqual(
    problems.map((problem) => problem.replace(/ tools\S+| \S+\.ts,?/g, ' it')),
    [
      `${version} has no handler, and it does not say why`,
      '/machine.MachineService/Memory is implemented: take it out of it then make generate',
      'tools/api-document/unbuilt-methods.ts has a reason for /no.such.Service/Method, which does not exist',
    ],
  );
});

test('docs/api.md is what would be generated', async () => {
  const committed = await readFile(join(checkout, 'docs', 'api.md'), 'utf8');
  const lines = committed.split('\n');
  const fresh = apiDocument({ implemented, reasons: unbuiltMethods }).split('\n');
  // Only what differs, in both directions.
  const difference = {
    missing: fresh.filter((line) => !lines.includes(line)),
    extra: lines.filter((line) => !fresh.includes(line)),
  };
  assert.deepEqual(difference, { missing: [], extra: [] }, 'run `make generate` and commit the result');
});

test('docs/api.md has a row for every method', async () => {
  const document = apiDocument({ implemented, reasons: unbuiltMethods });
  for (const part of document.split('\n## ').slice(1)) {
    const [section = '', ...rows] = part.split('\n');
    const methods = Object.keys(methodTable).filter((path) => path.startsWith(`/${section}/`));
    const named = rows.filter((row) => /^\| [A-Z]/.test(row)).map((row) => row.split(/[ |]+/)[1]);
    const ofTrustd = section === 'securityapi.SecurityService' ? ['Certificate'] : [];
    assert.deepEqual(named, [...methods.map((path) => path.split('/')[2]), ...ofTrustd], section);
  }
});

test('commands are told of methods that exist', () => {
  assert.deepEqual(
    Object.keys(commandOfMethod).filter((path) => methodTable[path] === undefined),
    [],
  );
});
