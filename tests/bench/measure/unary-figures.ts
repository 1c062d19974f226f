import type { UnaryOutcome } from '../load/load-job.ts';
import { median } from '../median.ts';

/** The figures of one run of requests, or the medians of several runs. */
export interface UnaryFigures {
  readonly requestsPerSecond: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time per request in microseconds, by the name of each group of processes. */
  readonly cpu: Readonly<Record<string, number>>;
  /**
   * How busy the load client was, in percent of one processor. Near 100, it limits the requests per second.
   */
  readonly loadPercent: number;
}

/** Process ids by the name of what they do for the request. */
export type ProcessGroups = Readonly<Record<string, readonly number[]>>;

export function figuresOfRun(outcome: UnaryOutcome, groups: ProcessGroups): UnaryFigures {
  const { requests, durationMs, latency, cpuMs, loadCpuMs } = outcome;
  const cpu = Object.entries(groups).map(([name, pids]) => {
    const sum = pids.reduce((total, pid) => total + (cpuMs[pid] ?? Number.NaN), 0);
    return [name, (sum * 1000) / requests] as const;
  });
  return {
    requestsPerSecond: (requests * 1000) / durationMs,
    p50: latency.p50,
    p99: latency.p99,
    cpu: Object.fromEntries(cpu),
    loadPercent: (loadCpuMs * 100) / durationMs,
  };
}

/** The median of each figure separately. Throws without runs. */
export function medianFigures(runs: readonly UnaryFigures[]): UnaryFigures {
  const middle = (figure: (run: UnaryFigures) => number) => median(runs.map(figure));
  const names = Object.keys(runs[0]?.cpu ?? {});
  return {
    requestsPerSecond: middle((run) => run.requestsPerSecond),
    p50: middle((run) => run.p50),
    p99: middle((run) => run.p99),
    cpu: Object.fromEntries(names.map((name) => [name, middle((run) => run.cpu[name] ?? Number.NaN)])),
    loadPercent: middle((run) => run.loadPercent),
  };
}
