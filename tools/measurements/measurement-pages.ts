// The tables of docs/measurements: people write the pages, and the tables between two marks are made from the JSON file beside the page.
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type FigureTable,
  type Measurements,
  parseMeasurements,
  type RecordedFigure,
} from './measurements.ts';

export const measurementsFolder = 'docs/measurements';

const startOf = (name: string) => `<!-- figures: ${name} -->`;
const end = '<!-- end of figures -->';
const marked = /<!-- figures: ([a-z0-9-]+) -->\n[\s\S]*?<!-- end of figures -->/g;

/** Three digits, which is more than most figures hold from run to run. */
function figureText(value: number): string {
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3);
}

/** What a page says of a recorded figure. */
export function recordedText({ median, unit, ratio, date, machine, runs }: RecordedFigure): string {
  const figure = `${figureText(median)} ${unit}`;
  const shown = ratio === undefined ? figure : `${figureText(ratio)} × (${figure})`;
  const count = runs.length === 1 ? 'one run' : `${runs.length} runs`;
  return `${shown}; ${count} on ${date}, ${machine.cores} cores and ${machine.memoryGb} GB`;
}

const line = (cells: readonly string[]) =>
  `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`;

export function tableText({ columns, rows }: FigureTable): string {
  const body = rows.map(({ cells, recorded }) =>
    line(cells.map((cell) => cell ?? (recorded === undefined ? '' : recordedText(recorded)))),
  );
  return [line(columns), line(columns.map(() => '---')), ...body].join('\n');
}

/** The page with its tables as the figures say. Throws when it has no place for a table, or one for a table that there is not. */
export function withFigures(page: string, { tables }: Measurements): string {
  const placed = new Set<string>();
  const text = page.replaceAll(marked, (_all, name: string) => {
    const table = tables[name];
    if (table === undefined) throw new Error(`there are no figures for "${startOf(name)}"`);
    if (placed.has(name)) throw new Error(`"${startOf(name)}" is there twice`);
    placed.add(name);
    return `${startOf(name)}\n\n${tableText(table)}\n\n${end}`;
  });
  const missing = Object.keys(tables).filter((name) => !placed.has(name));
  if (missing.length > 0) throw new Error(`the page has no place for the figures of ${missing.join(', ')}`);
  return text;
}

export interface MeasurementPage {
  /** Relative to the checkout. */
  readonly path: string;
  readonly text: string;
}

/** The pages with figures, as they should be. */
export async function measurementPages(root: string): Promise<MeasurementPage[]> {
  const sources = globSync(`${measurementsFolder}/*.json`, { cwd: root }).sort();
  return Promise.all(
    sources.map(async (source) => {
      const path = source.replace(/\.json$/, '.md');
      const page = await readFile(join(root, path), 'utf8');
      try {
        return {
          path,
          text: withFigures(page, parseMeasurements(await readFile(join(root, source), 'utf8'))),
        };
      } catch (error) {
        throw new Error(`${source}: ${(error as Error).message}`, { cause: error });
      }
    }),
  );
}
