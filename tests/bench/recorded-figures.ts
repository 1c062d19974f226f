// Which rows of docs/measurements the benches record with RECORD=1, by the ids that the JSON files of the pages have.
import { join } from 'node:path';
import { type MeasuredFigure, recordFigures, thisRun } from '../../tools/measurements/record-figures.ts';

const checkout = join(import.meta.dirname, '..', '..');

/** Of `make measure`. */
export const budgetFigures = [
  'cluster-create',
  'cluster-votes',
  'machined-idle',
  'machined-worker-idle',
  'apid-idle',
  'trustd-idle',
  'registryd-idle',
  'registryd-after-pull',
  'udevd-bridge-idle',
  'daemons-in-cluster',
  'daemons-alone',
  'apid-start',
  'trustd-start',
  'client-version',
  'client-memory-wall',
  'client-memory-cpu',
] as const;
export type BudgetFigure = (typeof budgetFigures)[number];

/** Of `make bench-state`. */
export const stateFigures = [
  'write-beside-watchers',
  'event-by-size',
  'event-by-watchers',
  'write-beside-slow-readers',
  'event-beside-slow-readers',
  'history-memory',
  'write-1',
  'write-10000',
  'write-100000',
  'watcher-memory',
  'list-wire',
  'event-wire',
] as const;
export type StateFigure = (typeof stateFigures)[number];

/** Whether this run is to be recorded. Asked for before anything is measured. @throws Error for another value than 1 */
export function wantsRecord(value = process.env.RECORD ?? ''): boolean {
  if (value !== '' && value !== '1') throw new Error(`RECORD is 1 or nothing, not "${value}"`);
  return value === '1';
}

/** Puts the figures into a page of docs/measurements and into its JSON. */
export function recordRun(page: string, command: string, figures: readonly MeasuredFigure[]): void {
  recordFigures(checkout, page, figures, thisRun(checkout, command));
  process.stdout.write(
    `recorded ${figures.length} figures in docs/measurements/${page}.json and ${page}.md\n`,
  );
}
