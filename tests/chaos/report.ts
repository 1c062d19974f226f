import type { Outcome } from './await-recovery.ts';
import type { ReadCounts } from './read-versions.ts';
import { restartLimits } from './restart-limit.ts';

const victims = ['machined', 'apid', 'trustd', 'etcd', 'node'] as const;

/** The table of faults and what became of them. */
export function faultTable(outcomes: readonly Outcome[]): string {
  const header = [
    'killed',
    'times',
    'runs again after',
    'longest',
    'well after',
    'longest',
    'hit again',
    'late',
    'dead',
  ];
  const limits = restartLimits(outcomes);
  const rows = victims.map((victim) => {
    const own = outcomes.filter(({ fault, result }) => fault.victim === victim && result !== 'missed');
    const started = own.flatMap(({ startedMs }) => startedMs ?? []);
    const healthy = own.flatMap(({ healthyMs }) => healthyMs ?? []);
    return [
      ...[victim, String(own.length), seconds(median(started)), seconds(Math.max(...started))],
      ...[seconds(median(healthy)), seconds(Math.max(...healthy))],
      String(own.filter(({ result }) => result === 'again').length),
      String(lateOnes(outcomes, limits).filter(({ fault }) => fault.victim === victim).length),
      String(own.filter(({ result }) => result === 'dead').length),
    ];
  });
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  return [header, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}

/** Those that did not run again within the pause of whoever starts them. */
export function lateOnes(outcomes: readonly Outcome[], limits = restartLimits(outcomes)): Outcome[] {
  return outcomes.filter(
    ({ startedMs }, index) => startedMs !== undefined && startedMs > (limits[index] ?? 0),
  );
}

export function readText(counts: ReadonlyMap<string, ReadCounts>): string {
  return [...counts]
    .map(([node, { answered, failed }]) => `${node} ${answered}/${answered + failed}`)
    .join(', ');
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const seconds = (ms: number) => (Number.isFinite(ms) ? `${(ms / 1000).toFixed(1)} s` : '-');
