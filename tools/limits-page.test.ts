import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLimit, type LimitTable, limitValues } from '@nodewright/contract/declared-limits';
import {
  type LimitSection,
  limitSections,
  limitsOf,
  limitsPage,
  parseAttackedBy,
  valueText,
} from './limits-page.ts';

/** The table with another value for the limit of this name. */
function changed(table: LimitTable, path: string, value: number): LimitTable {
  const [name = '', ...rest] = path.split('.');
  const entry = table[name];
  assert.ok(entry !== undefined, path);
  return { ...table, [name]: isLimit(entry) ? { ...entry, value } : changed(entry, rest.join('.'), value) };
}

test('limitsPage() changes in one row with each declared value, and so does what the program gets', () => {
  const before = limitsPage().split('\n');
  let limits = 0;
  for (const section of limitSections) {
    for (const { name, limit } of limitsOf(section.table)) {
      const table = changed(section.table, name, limit.value + 1);
      const sections = limitSections.map(
        (each): LimitSection => (each === section ? { ...each, table } : each),
      );
      const after = limitsPage(sections).split('\n');
      assert.equal(after.length, before.length);
      const rows = after.filter((line, index) => line !== before[index]);
      assert.equal(rows.length, 1, name);
      assert.ok(rows[0]?.includes(`| ${valueText({ ...limit, value: limit.value + 1 })} |`), rows.join());
      assert.notDeepEqual(limitValues(table), limitValues(section.table), name);
      limits += 1;
    }
  }
  assert.ok(limits > 100, `${limits} limits`);
});

test('limitValues() gives the numbers by the names and groups of the table', () => {
  const rest = { what: 'calls', unit: 'calls', effect: 'refused', attackedBy: [] };
  const table = { calls: { ...rest, value: 3 }, cancels: { burst: { ...rest, value: 5 } } };
  assert.deepEqual(limitValues(table), { calls: 3, cancels: { burst: 5 } });
});

test('valueText() uses the largest unit in which the value is a whole number', () => {
  const texts: readonly (readonly [number, string, string])[] = [
    [0, 'bytes', '0 bytes'],
    [65_535, 'bytes', '65,535 bytes'],
    [64 * 1024, 'bytes', '64 KiB'],
    [8 * 1024 * 1024 + 65_536, 'bytes', '8,256 KiB'],
    [32 * 1024 * 1024, 'bytes', '32 MiB'],
    [250, 'ms', '250 ms'],
    [1500, 'ms', '1,500 ms'],
    [90_000, 'ms', '90 s'],
    [600_000, 'ms', '10 min'],
    [86_400_000, 'ms', '24 h'],
    [0.05, 'share', '5 %'],
    [10_000, 'frames', '10,000 frames'],
  ];
  for (const [value, unit, text] of texts) assert.equal(valueText({ value, unit }), text);
});

test('parseAttackedBy() splits a file from the words of a name', () => {
  assert.deepEqual(parseAttackedBy('a/b.test.ts'), { file: 'a/b.test.ts', name: undefined });
  assert.deepEqual(parseAttackedBy('a/b.test.ts#one # two'), { file: 'a/b.test.ts', name: 'one # two' });
});
