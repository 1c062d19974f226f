// Faults that were mended do not come back unnoticed: each has a test, and the tables lead to it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const checkout = join(import.meta.dirname, '..', '..');

function missingIn(document: string) {
  const rows = readFileSync(join(checkout, document), 'utf8')
    .split('\n')
    .filter((line) => /^\| .*`[^`]+\.(?:ts|md)` \|/.test(line))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
  assert.ok(rows.length > 20);
  return rows.filter(([, file = '', title = '']) => {
    const source = readFileSync(join(checkout, file.replaceAll('`', '')), 'utf8').replaceAll("\\'", "'");
    return title === '' || !source.includes(title);
  });
}

for (const document of ['tests/mended-faults.md', 'tests/first-contact.md'])
  test(`each row of ${document} names a file and a test in it`, () => {
    assert.deepEqual(missingIn(document), []);
  });
