// The id of a kind with one resource stands in its definition: `pointerTo(timeStatuses)`, `timeStatuses.singleton`.
// Tests may write it out, for they say what is on the wire.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as kinds from '@nodewright/state/kinds';

const checkout = join(import.meta.dirname, '..', '..');
const singletons = new Set(
  Object.entries(kinds)
    .filter(([, kind]) => typeof kind === 'object' && 'singleton' in kind && kind.singleton !== undefined)
    .map(([name]) => name),
);
/** What takes a kind and an id. */
const literalId = /\b(?:pointerTo|weak|strong|destroyReady)\(\s*(\w+),\s*'|\bkind: (\w+), id: '/g;

/** The kinds of one resource whose id `text` writes out. */
function writtenOut(text: string): string[] {
  return [...text.matchAll(literalId)]
    .map(([, first, second]) => first ?? second ?? '')
    .filter((kind) => singletons.has(kind));
}

test('no source but those of tests writes out the id of a kind with one resource', () => {
  const sources = globSync('{services,packages,cli}/**/*.ts', {
    cwd: checkout,
    exclude: ['**/node_modules/**', '**/gen/**', '**/*.test.ts'],
  });
  assert.ok(sources.length > 100);
  const found = sources.flatMap((file) =>
    writtenOut(readFileSync(join(checkout, file), 'utf8')).map((kind) => `${file}: ${kind}`),
  );
  assert.deepEqual(found, []);
});

test('writtenOut() finds an id next to its kind, on the same line or the next, and ignores other kinds', () => {
  const text = `
    weak(timeStatuses, 'node'), pointerTo(
      networkStatuses,
      'status',
    ), { kind: versions, id: 'version' }, pointerTo(services, 'etcd'), pointerTo(hostnameStatuses)`;
  assert.deepEqual(writtenOut(text), ['timeStatuses', 'networkStatuses', 'versions']);
});
