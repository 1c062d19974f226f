// What the page says about nodes. What is not known is never shown as well.
import type { NodeSummary, Reach } from '../../protocol/messages.ts';
import { isExpectedAway, turnOf } from '../../protocol/rollout.ts';
import { countText, durationText } from '../parts/figures.ts';
import type { Condition, Statement } from './condition.ts';
import type { Snapshot } from './snapshot.ts';
import { type TurnWord, turnWord } from './turn-words.ts';

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
  /** Whether the node is away because it restarts in its turn of an upgrade. */
  readonly isExpected: boolean;
  /** What the node does in its turn of an upgrade; undefined when it has none. */
  readonly turn?: TurnWord;
}

const words: Readonly<Record<Condition, string>> = {
  ...{ good: 'ready', warning: 'not well', bad: 'away', unknown: 'not known' },
};

/**
 * The condition of one node. A node that does not say whether it is ready is not known to be, and one that is away is never well, but it is
 * no fault while it restarts for its upgrade.
 */
function conditionOf(summary: NodeSummary | undefined, isLive: boolean, isExpected: boolean): Condition {
  if (summary === undefined || !isLive || summary.reach.kind === 'connecting') return 'unknown';
  if (summary.reach.kind === 'away') return isExpected ? 'warning' : 'bad';
  if (summary.isReady === false || summary.troubles.length > 0) return 'warning';
  return summary.isReady === undefined ? 'unknown' : 'good';
}

export function judgeNode(name: string, snapshot: Snapshot, nowMs: number): JudgedNode {
  const { summaries, isLive, rollout } = snapshot;
  const summary = summaries.get(name);
  const own = turnOf(rollout, summary ?? { name });
  const turn = own?.state === 'acting' ? turnWord(own) : undefined;
  const isAway = summary?.reach.kind === 'away';
  const isExpected = isLive && isAway && isExpectedAway(own, summary.reach.sinceMs, nowMs);
  const condition = conditionOf(summary, isLive, isExpected);
  const word = isExpected ? restarts : words[condition];
  const known = { name, condition, word, isOld: isAway || !isLive, isExpected, ...(turn && { turn }) };
  if (isAway) {
    const { sinceMs, hop, message } = summary.reach;
    const at = hop === undefined ? '' : ` at hop ${hop}`;
    const away = `away for ${durationText(nowMs - sinceMs)}, failed${at}: ${message}`;
    const reasons = isExpected ? [`${restarts} for its upgrade`, away] : [away];
    return { ...known, reasons, ...(isLive && { away: summary.reach }) };
  }
  const troubles = (summary?.troubles ?? []).map((trouble) => `${trouble.name}: ${trouble.reason}`);
  const reasons =
    turn === undefined || troubles.length === 0
      ? troubles
      : [`it ${turn} in its turn of the upgrade`, ...troubles];
  return { ...known, reasons: condition === 'warning' && reasons.length === 0 ? ['not ready'] : reasons };
}

const restarts = 'restarts' satisfies TurnWord;

/** The nodes that restart for their upgrade, as a sentence; empty when none does. */
export function restartText(nodes: readonly JudgedNode[]): string {
  const names = nodes.filter(({ isExpected }) => isExpected).map(({ name }) => name);
  if (names.length === 0) return '';
  return names.length === 1
    ? `${names[0]} restarts for its upgrade`
    : `${some(names)} restart for their upgrade`;
}

/** In its turn before it acts, a node is as it was. */
const idleWords: readonly (TurnWord | undefined)[] = [undefined, 'gets ready', 'waits for its turn'];

/** As above, or the nodes that answer while they are drained, written or started: they are not ready then. */
export function inTurnText(nodes: readonly JudgedNode[]): string {
  const names = nodes.filter(({ turn }) => !idleWords.includes(turn)).map(({ name }) => name);
  const text =
    names.length === 1 ? `${names[0]} is in its turn of the upgrade` : `${some(names)} are in their turns`;
  return restartText(nodes) || (names.length === 0 ? '' : text);
}

const namesOf = (nodes: readonly JudgedNode[], ...wanted: readonly Condition[]) =>
  nodes.filter(({ condition }) => wanted.includes(condition)).map(({ name }) => name);

/** Some names, and how many more there are. */
export const some = (names: readonly string[]) =>
  names.length > 2 ? `${names[0]} and ${names.length - 1} more` : names.join(', ');

const joined = (...parts: readonly string[]) => parts.filter((part) => part !== '').join('; ');

/** How many nodes answer. */
export function reachStatement(nodes: readonly JudgedNode[]): Statement {
  const away = namesOf(nodes, 'bad');
  const silent = namesOf(nodes, 'unknown');
  const restarting = restartText(nodes);
  const expected = nodes.filter(({ isExpected }) => isExpected).length;
  const value = `${nodes.length - away.length - silent.length - expected} of ${nodes.length}`;
  if (away.length > 0) {
    const note = joined(`${countText(away.length, 'node')} away: ${some(away)}`, restarting);
    return { value, note, condition: 'bad' };
  }
  if (restarting !== '') return { value, note: restarting, condition: 'warning' };
  if (silent.length === 0) return { value, note: 'all answer', condition: 'good' };
  return { value, note: `${countText(silent.length, 'node')} not known yet`, condition: 'unknown' };
}

/** Whether the nodes are well. */
export function nodesStatement(nodes: readonly JudgedNode[]): Statement {
  const away = namesOf(nodes, 'bad');
  const silent = namesOf(nodes, 'unknown');
  const unwell = namesOf(
    nodes.filter(({ isExpected }) => !isExpected),
    'warning',
  );
  const restarting = restartText(nodes);
  const expected = nodes.filter(({ isExpected }) => isExpected).length;
  if (away.length + unwell.length + expected > 0) {
    const note = joined(
      away.length > 0 ? `away: ${some(away)}` : '',
      unwell.length > 0 ? `not well: ${some(unwell)}` : '',
      restarting,
    );
    return {
      value: countText(away.length + unwell.length + expected, 'node'),
      note,
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
