import type { NetworkRow } from '../../network/attacks/run-attack.ts';
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

/** The first two lines of the table. */
export const tableHead: readonly string[] = [head, rule];

/** The table of figures as Markdown, as in docs/measurements/attacks.md. */
export function renderTable(rows: readonly FloodRow[]): string {
  return [...tableHead, ...rows.map(renderRow)].join('\n');
}

export function renderRow({ result, peak }: FloodRow): string {
  const { flood, rounds, medianRatio } = result;
  const middle = rounds.toSorted((a, b) => a.ratio - b.ratio)[Math.floor(rounds.length / 2)];
  const calls = rounds.reduce((sum, { attacked }) => sum + attacked.calls, 0);
  const failed = rounds.reduce((sum, { attacked }) => sum + attacked.failed, 0);
  const cells = [
    `${flood.name}: ${flood.what}`,
    sentText(middle?.counts ?? {}),
    `${((middle?.cpuMs ?? 0) / 1000).toFixed(1)} s`,
    `${calls.toLocaleString('en')}, ${failed}`,
    `${milliseconds(middle?.attacked.p99)}, ${milliseconds(middle?.burned.p99)}`,
    medianRatio.toFixed(1),
    `${Math.round(peak.megabytes)} MB (${peak.daemon.name})`,
  ];
  return `| ${cells.join(' | ')} |`;
}

/** A row of the same table for an attack on the network of one machine, which has no burner beside it. */
export function renderNetworkRow({ attack, counts, figures }: NetworkRow): string {
  const { client, peakMb } = figures ?? { client: undefined, peakMb: 0 };
  const cells = [
    ...[`${attack.name}: ${attack.what}`, sentText(counts), '–'],
    client === undefined ? '–' : `${client.calls.toLocaleString('en')}, ${client.failed}`,
    client === undefined ? '–' : `${client.p99Ms.toFixed(1)} ms, –`,
    ...['–', `${Math.round(peakMb)} MB (machine)`],
  ];
  return `| ${cells.join(' | ')} |`;
}

const sentText = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${Math.round(count).toLocaleString('en')} ${wordsOf(name)}`)
    .join(', ');
const milliseconds = (microseconds = 0) => `${(microseconds / 1000).toFixed(1)} ms`;
const wordsOf = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
