import type { FloodResult } from '../measure/run-flood.ts';
import type { WatchedDaemon } from '../target/open-target.ts';

export interface FloodRow {
  readonly result: FloodResult;
  /** The highest memory of any daemon during the attack, in MB, and the name of that daemon. */
  readonly peak: { readonly daemon: WatchedDaemon; readonly megabytes: number };
  readonly shortcomings: readonly string[];
}

const head =
  '| Attack | sent in a run | attacker CPU | calls of the other client, failed | p99 beside it, beside a burner | ratio | highest memory |';
const rule = '| --- | --- | --- | --- | --- | --- | --- |';

/** The table of figures as Markdown, as in SPEC.md. */
export function renderTable(rows: readonly FloodRow[]): string {
  return [head, rule, ...rows.map(renderRow)].join('\n');
}

export function renderRow({ result, peak }: FloodRow): string {
  const { flood, rounds, medianRatio } = result;
  const middle = rounds.toSorted((a, b) => a.ratio - b.ratio)[Math.floor(rounds.length / 2)];
  const calls = rounds.reduce((sum, { attacked }) => sum + attacked.calls, 0);
  const failed = rounds.reduce((sum, { attacked }) => sum + attacked.failed, 0);
  const sent = Object.entries(middle?.counts ?? {})
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${Math.round(count).toLocaleString('en')} ${wordsOf(name)}`);
  const cells = [
    `${flood.name}: ${flood.what}`,
    sent.join(', '),
    `${((middle?.cpuMs ?? 0) / 1000).toFixed(1)} s`,
    `${calls.toLocaleString('en')}, ${failed}`,
    `${milliseconds(middle?.attacked.p99)}, ${milliseconds(middle?.burned.p99)}`,
    medianRatio.toFixed(1),
    `${Math.round(peak.megabytes)} MB (${peak.daemon.name})`,
  ];
  return `| ${cells.join(' | ')} |`;
}

const milliseconds = (microseconds = 0) => `${(microseconds / 1000).toFixed(1)} ms`;
const wordsOf = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
