// What the page says about nodes. What is not known is never shown as well.
import type { NodeSummary, Reach } from '../../protocol/messages.ts';
import { countText, durationText } from '../parts/figures.ts';
import type { Condition, Statement } from './condition.ts';
import type { Snapshot } from './snapshot.ts';

export interface JudgedNode {
  readonly name: string;
  readonly condition: Condition;
  /** The condition in a word. */
  readonly word: string;
  /** Why it is not well. */
  readonly reasons: readonly string[];
  /** The failure, while the node is away. */
  readonly away?: Extract<Reach, { kind: 'away' }>;
  /** Whether what the page shows of the node besides is what was known before. */
  readonly isOld: boolean;
}

const words: Readonly<Record<Condition, string>> = {
  ...{ good: 'ready', warning: 'not well', bad: 'away', unknown: 'not known' },
};

/** The condition of one node. A node that does not say whether it is ready is not known to be. */
function conditionOf(summary: NodeSummary | undefined, isLive: boolean): Condition {
  if (summary === undefined || !isLive || summary.reach.kind === 'connecting') return 'unknown';
  if (summary.reach.kind === 'away') return 'bad';
  if (summary.isReady === false || summary.troubles.length > 0) return 'warning';
  return summary.isReady === undefined ? 'unknown' : 'good';
}

export function judgeNode(name: string, { summaries, isLive }: Snapshot, nowMs: number): JudgedNode {
  const summary = summaries.get(name);
  const condition = conditionOf(summary, isLive);
  const known = { name, condition, word: words[condition], isOld: condition === 'bad' || !isLive };
  if (summary?.reach.kind === 'away') {
    const { sinceMs, hop, message } = summary.reach;
    const at = hop === undefined ? '' : ` at hop ${hop}`;
    const reasons = [`away for ${durationText(nowMs - sinceMs)}, failed${at}: ${message}`];
    return { ...known, reasons, ...(isLive && { away: summary.reach }) };
  }
  const reasons = (summary?.troubles ?? []).map((trouble) => `${trouble.name}: ${trouble.reason}`);
  return { ...known, reasons: condition === 'warning' && reasons.length === 0 ? ['not ready'] : reasons };
}

const namesOf = (nodes: readonly JudgedNode[], ...wanted: readonly Condition[]) =>
  nodes.filter(({ condition }) => wanted.includes(condition)).map(({ name }) => name);

/** Some names, and how many more there are. */
export const some = (names: readonly string[]) =>
  names.length > 2 ? `${names[0]} and ${names.length - 1} more` : names.join(', ');

/** How many nodes answer. */
export function reachStatement(nodes: readonly JudgedNode[]): Statement {
  const away = namesOf(nodes, 'bad');
  const silent = namesOf(nodes, 'unknown');
  const value = `${nodes.length - away.length - silent.length} of ${nodes.length}`;
  if (away.length > 0)
    return { value, note: `${countText(away.length, 'node')} away: ${some(away)}`, condition: 'bad' };
  if (silent.length === 0) return { value, note: 'all answer', condition: 'good' };
  return { value, note: `${countText(silent.length, 'node')} not known yet`, condition: 'unknown' };
}

/** Whether the nodes are well. */
export function nodesStatement(nodes: readonly JudgedNode[]): Statement {
  const [away, unwell, silent] = [
    namesOf(nodes, 'bad'),
    namesOf(nodes, 'warning'),
    namesOf(nodes, 'unknown'),
  ];
  if (away.length + unwell.length > 0) {
    const notes = [
      away.length > 0 && `away: ${some(away)}`,
      unwell.length > 0 && `not well: ${some(unwell)}`,
    ].filter(Boolean);
    return {
      value: countText(away.length + unwell.length, 'node'),
      note: notes.join('; '),
      condition: away.length > 0 ? 'bad' : 'warning',
    };
  }
  if (silent.length === 0) return { value: 'well', note: 'no service complains', condition: 'good' };
  const note = `no state of ${countText(silent.length, 'node')}`;
  return { value: 'not known', note, condition: 'unknown' };
}

/** The versions that nodes report. */
export function versionStatement(snapshot: Snapshot): Statement {
  const { names, summaries } = snapshot;
  const here = names.filter((name) => summaries.get(name)?.reach.kind === 'here');
  const known = here.flatMap((name) => summaries.get(name)?.version ?? []);
  const [first, ...others] = new Set(known);
  if (first === undefined) return { value: '–', note: 'not known', condition: 'unknown' };
  if (others.length > 0) return { value: first, note: `and ${others.join(', ')}`, condition: 'warning' };
  const note =
    known.length === names.length ? 'the same everywhere' : `of ${countText(known.length, 'node')}`;
  return { value: first, note, condition: 'unknown' };
}
