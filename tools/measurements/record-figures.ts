// Puts what a bench has measured into the JSON file of its page, and the table of the page. `make measure RECORD=1`.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { measurementsFolder, withFigures } from './measurement-pages.ts';
import {
  type FigureRow,
  type Measurements,
  measuredColumn,
  measurementsText,
  parseMeasurements,
  type RecordedFigure,
} from './measurements.ts';

/** What a bench has measured of one row. */
export interface MeasuredFigure extends Pick<RecordedFigure, 'median' | 'unit' | 'ratio' | 'runs'> {
  /** That of the row. */
  readonly id: string;
}

/** What all figures of a run have in common. */
export type Run = Pick<RecordedFigure, 'command' | 'date' | 'commit' | 'machine'>;

/** Five digits, so that the files stay readable. */
const rounded = (value: number) => Number(value.toPrecision(5));

/** The measurements with these figures of a run in place of what was there. Throws when a figure has no row. */
export function withRecorded(
  measurements: Measurements,
  figures: readonly MeasuredFigure[],
  run: Run,
): Measurements {
  const left = new Map(figures.map((figure) => [figure.id, figure]));
  const recordedRow = (row: FigureRow, columns: readonly string[]): FigureRow => {
    const figure = row.id === undefined ? undefined : left.get(row.id);
    if (figure === undefined) return row;
    left.delete(figure.id);
    const { id, unit, ratio } = figure;
    const at = columns.indexOf(measuredColumn);
    return {
      id,
      cells: row.cells.map((cell, index) => (index === at ? null : cell)),
      recorded: {
        ...run,
        median: rounded(figure.median),
        unit,
        ...(ratio !== undefined && { ratio: rounded(ratio) }),
        runs: figure.runs.map(rounded),
      },
    };
  };
  const tables = Object.entries(measurements.tables).map(
    ([name, table]) =>
      [name, { ...table, rows: table.rows.map((row) => recordedRow(row, table.columns)) }] as const,
  );
  if (left.size > 0) throw new Error(`there is no row for ${[...left.keys()].join(', ')}`);
  return { tables: Object.fromEntries(tables) };
}

function commitOf(checkout: string): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: checkout,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    return git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain') === '' ? '' : '+');
  } catch {
    // A bench of minutes is not lost because there is no git.
    return 'unknown';
  }
}

/** The run of this process, which says nothing of the machine but its size. */
export const thisRun = (checkout: string, command: string): Run => ({
  command,
  date: new Date().toISOString().slice(0, 10),
  commit: commitOf(checkout),
  machine: { cores: availableParallelism(), memoryGb: Math.round(totalmem() / 1e9) },
});

/** Records figures of a page, such as `budgets`. The result is complete before either file is written. */
export function recordFigures(
  root: string,
  page: string,
  figures: readonly MeasuredFigure[],
  run: Run,
): void {
  const path = join(root, measurementsFolder, page);
  const recorded = withRecorded(parseMeasurements(readFileSync(`${path}.json`, 'utf8')), figures, run);
  const text = measurementsText(recorded);
  const shown = withFigures(readFileSync(`${path}.md`, 'utf8'), parseMeasurements(text));
  writeFileSync(`${path}.json`, text);
  writeFileSync(`${path}.md`, shown);
}
