import type { Outcome } from './await-recovery.ts';
import type { ChaosTarget } from './chaos-target.ts';
import { victims } from './planned-fault.ts';
import type { ReadCounts } from './read-versions.ts';
import { restartLimits } from './restart-limit.ts';
import type { ChaosResult } from './run-chaos.ts';

/** The table of faults and their results. */
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
  const rows = victims.flatMap((victim) => {
    const own = outcomes.filter(({ fault, result }) => fault.victim === victim && result !== 'missed');
    if (own.length === 0) return [];
    const started = own.flatMap(({ startedMs }) => startedMs ?? []);
    const healthy = own.flatMap(({ healthyMs }) => healthyMs ?? []);
    const row = [
      ...[victim, String(own.length), seconds(median(started)), seconds(Math.max(...started))],
      ...[seconds(median(healthy)), seconds(Math.max(...healthy))],
      String(own.filter(({ result }) => result === 'again').length),
      String(lateOnes(outcomes, limits).filter(({ fault }) => fault.victim === victim).length),
      String(own.filter(({ result }) => result === 'dead').length),
    ];
    return [row];
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

/**
 * The victims that did not run again within their restart delay, including those that did not before their
 * node was hit again. Those that never ran again are listed as dead.
 */
export function lateOnes(outcomes: readonly Outcome[], limits = restartLimits(outcomes)): Outcome[] {
  return outcomes.filter(({ result, startedMs, watchedMs }, index) => {
    const downMs = startedMs ?? (result === 'again' ? watchedMs : undefined);
    return downMs !== undefined && downMs > (limits[index] ?? 0);
  });
}

/** Whether a run has shown a fault of the nodes, or nothing at all. */
export function hasFailed(result: ChaosResult, { judgesTime }: Pick<ChaosTarget, 'judgesTime'>): boolean {
  const { outcomes, lost = [], strays } = result;
  const dead = outcomes.filter(({ result: how }) => how === 'dead');
  const late = judgesTime ? lateOnes(outcomes) : [];
  return [...lost, ...strays, ...dead, ...late, ...shortcomings(result)].length > 0;
}

/** What is missing for the run to be meaningful, one line each; empty when nothing is. */
export function shortcomings(result: ChaosResult): string[] {
  const { outcomes, reads, acknowledged, lost, unrest, cacheProblems } = result;
  const silent = [...reads].filter(([, { answered }]) => answered === 0).map(([node]) => node);
  return [
    ...(outcomes.every(({ result }) => result === 'missed') ? ['nothing was killed'] : []),
    ...(acknowledged === 0 ? ['no write was ever acknowledged'] : []),
    ...(lost === undefined ? ['etcd does not say what it has kept'] : []),
    ...silent.map((node) => `${node} never answered`),
    ...(unrest === undefined ? [] : [unrest]),
    ...cacheProblems,
  ];
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
