// The figures of docs/measurements are in JSON files: the tables of the pages say what these say, and the benches that record figures have
// a row for each of them.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { measurementPages, measurementsFolder } from '../../tools/measurements/measurement-pages.ts';
import { measurementsText, parseMeasurements } from '../../tools/measurements/measurements.ts';
import { budgetFigures, stateFigures, wantsRecord } from '../bench/recorded-figures.ts';

const checkout = join(import.meta.dirname, '..', '..');
const textOf = (path: string) => readFileSync(join(checkout, path), 'utf8');

test('the tables of docs/measurements are what the JSON files say: `make generate` writes them', async () => {
  const pages = await measurementPages(checkout);
  assert.ok(pages.length >= 8, `${pages.length} pages`);
  for (const { path, text } of pages) assert.equal(textOf(path), text, path);
});

test('the JSON files are as RECORD=1 writes them, so that it changes only what it records', () => {
  const paths = globSync(`${measurementsFolder}/*.json`, { cwd: checkout });
  assert.ok(paths.length >= 8, `${paths.length} files`);
  for (const path of paths) {
    const text = textOf(path);
    assert.equal(measurementsText(parseMeasurements(text)), text, path);
  }
});

test('each page of docs/measurements but the list has figures', () => {
  const names = (ending: string) =>
    globSync(`${measurementsFolder}/*${ending}`, { cwd: checkout })
      .map((path) => path.slice(measurementsFolder.length + 1, -ending.length))
      .filter((name) => name !== 'README')
      .sort();
  assert.deepEqual(names('.json'), names('.md'));
});

for (const [page, figures] of [
  ['budgets', budgetFigures],
  ['resources', stateFigures],
] as const) {
  test(`the rows of ${page} with an id are those that its bench records`, () => {
    const { tables } = parseMeasurements(textOf(`${measurementsFolder}/${page}.json`));
    const ids = Object.values(tables).flatMap(({ rows }) => rows.flatMap(({ id }) => id ?? []));
    assert.deepEqual(ids.toSorted(), figures.toSorted());
  });
}

test('wantsRecord() takes 1 or nothing', () => {
  assert.deepEqual([wantsRecord('1'), wantsRecord('')], [true, false]);
  assert.throws(() => wantsRecord('yes'), /RECORD is 1 or nothing, not "yes"/);
});
