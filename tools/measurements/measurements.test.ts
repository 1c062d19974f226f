import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordedText, withFigures } from './measurement-pages.ts';
import { type Measurements, measurementsText, parseMeasurements } from './measurements.ts';
import { type Run, withRecorded } from './record-figures.ts';

const measurements: Measurements = {
  tables: {
    starts: {
      command: 'make measure',
      date: '2026-11-21',
      machine: { cores: 2, memoryGb: 24 },
      columns: ['What', 'At most', 'Measured'],
      rows: [
        { id: 'apid', cells: ['apid', '2 ×', '1.8 × (78 ms)'], date: '2026-11-26' },
        { cells: ['by hand', '', '5 s'] },
      ],
    },
  },
};
const page = '# Starts\n\n<!-- figures: starts -->\nold\n<!-- end of figures -->\n\nBelow.\n';
const run: Run = {
  ...{ command: 'make measure', date: '2026-12-01', commit: '151b7857' },
  machine: { cores: 2, memoryGb: 25 },
};
const figure = { id: 'apid', median: 81.26, unit: 'ms', ratio: 1.914, runs: [80, 81.26, 90] };

test('withFigures() puts the table of the figures between its marks, and leaves the rest of the page', () => {
  const text = withFigures(page, measurements);
  assert.equal(
    text,
    `# Starts

<!-- figures: starts -->

| What | At most | Measured |
| --- | --- | --- |
| apid | 2 × | 1.8 × (78 ms) |
| by hand | | 5 s |

<!-- end of figures -->

Below.
`,
  );
  assert.equal(withFigures(text, measurements), text);
});

test('withFigures() refuses a table without a place, a place without a table, and two places for one', () => {
  assert.throws(() => withFigures('# Starts\n', measurements), /no place for the figures of starts/);
  assert.throws(() => withFigures(page, { tables: {} }), /there are no figures for .*starts/);
  assert.throws(() => withFigures(page + page, measurements), /is there twice/);
});

test('withRecorded() replaces the figure of a row, its date and its text, and no other row', () => {
  const recorded = withRecorded(measurements, [figure], run);
  assert.deepEqual(recorded.tables.starts?.rows, [
    {
      id: 'apid',
      cells: ['apid', '2 ×', null],
      recorded: {
        ...{ command: 'make measure', date: '2026-12-01', commit: '151b7857' },
        ...{ machine: { cores: 2, memoryGb: 25 }, median: 81.26, unit: 'ms', ratio: 1.914 },
        runs: [80, 81.26, 90],
      },
    },
    { cells: ['by hand', '', '5 s'] },
  ]);
  assert.deepEqual(parseMeasurements(measurementsText(recorded)), recorded);
  assert.match(
    withFigures(page, recorded),
    /\| apid \| 2 × \| 1\.91 × \(81\.3 ms\); 3 runs on 2026-12-01, 2 cores and 25 GB \|/,
  );
  const again = withRecorded(recorded, [{ ...figure, ratio: 1.5 }], run);
  assert.equal(again.tables.starts?.rows[0]?.recorded?.ratio, 1.5);
});

test('withRecorded() refuses a figure that has no row', () => {
  assert.throws(() => withRecorded(measurements, [{ ...figure, id: 'trustd' }], run), /no row for trustd/);
});

test('recordedText() has three digits, and says of how many runs, when and on what', () => {
  const recorded = { ...run, median: 12_345.6, unit: 'req/s', runs: [12_345.6] };
  assert.equal(recordedText(recorded), '12,346 req/s; one run on 2026-12-01, 2 cores and 25 GB');
  assert.match(recordedText({ ...recorded, median: 0.01234 }), /^0\.0123 req/);
});

test('parseMeasurements() names the place of what is wrong, such as the name of a machine', () => {
  const [row] = withRecorded(measurements, [figure], run).tables.starts?.rows ?? [];
  const withRow = (other: object) =>
    JSON.stringify({ tables: { starts: { ...measurements.tables.starts, rows: [{ ...row, ...other }] } } });
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['{"tables":{"a":{}}}', /tables\.a\.columns is no list/],
    [withRow({ cells: ['apid', '2 ×'] }), /rows\[0\] has 2 cells for 3 columns/],
    [withRow({ cells: ['apid', '2 ×', 'text'] }), /null in another cell/],
    [withRow({ recorded: undefined }), /null in another cell/],
    [withRow({ recorded: { ...row?.recorded, date: 'yesterday' } }), /recorded\.date is no date/],
    [withRow({ recorded: { ...row?.recorded, runs: [] } }), /runs is empty/],
    [withRow({ recorded: { ...row?.recorded, machine: { cores: 2 } } }), /memoryGb is no number/],
    [
      withRow({ recorded: { ...row?.recorded, machine: { cores: 2, memoryGb: 1, host: 'a' } } }),
      /machine has host, which is no part of it/,
    ],
  ];
  for (const [text, problem] of wrong) assert.throws(() => parseMeasurements(text), problem);
  const twice = { ...measurements.tables.starts, rows: [row, row] };
  assert.throws(() => parseMeasurements(JSON.stringify({ tables: { twice } })), /two rows are called apid/);
});
