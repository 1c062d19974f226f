// Faults that were mended do not come back unnoticed: each has a test, and the table of faults leads to it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const checkout = join(import.meta.dirname, '..', '..');
const rows = readFileSync(join(checkout, 'tests/mended-faults.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| .*`.*\.ts`/.test(line))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));

test('each row of tests/mended-faults.md names a file and a test in it', () => {
  const missing = rows.filter(([, file = '', title = '']) => {
    const source = readFileSync(join(checkout, file.replaceAll('`', '')), 'utf8').replaceAll("\\'", "'");
    return title === '' || !source.includes(title);
  });
  assert.deepEqual(missing, []);
  assert.ok(rows.length > 20);
});
