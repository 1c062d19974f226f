import type { CheckState, HealthResult } from '../../protocol/messages.ts';
import { countText, durationText } from '../parts/figures.ts';
import type { Condition, Statement } from './condition.ts';
import { inTurnText, type JudgedNode } from './judge-nodes.ts';
import type { Snapshot } from './snapshot.ts';

export interface JudgedCheck {
  readonly name: string;
  readonly state: CheckState['state'];
  readonly condition: Condition;
  /** The result, and when it is from if that is not now. */
  readonly word: string;
  readonly reason?: string | undefined;
  readonly isOld: boolean;
}

/** Checks repeat every 15 seconds, and a run takes 10 seconds at most. */
const oldMs = 45_000;

/** Whether the results say nothing about now: a node has changed since, they cannot be run, or no new one has come for long. */
export function isOldHealth(
  { nodesNumber, isLive }: Snapshot,
  { ofNodes, atMs, problem }: HealthResult,
  nowMs: number,
): boolean {
  return !isLive || problem !== undefined || ofNodes < nodesNumber || nowMs - atMs > oldMs;
}

const conditions: Readonly<Record<CheckState['state'], Condition>> = {
  ...{ passed: 'good', failed: 'bad', skipped: 'unknown' },
};

/** Whether a node is in its turn of an upgrade, and no other is away: what checks miss meanwhile is no fault of its own. */
const isOnlyUpgrade = (nodes: readonly JudgedNode[]) =>
  inTurnText(nodes) !== '' && !nodes.some(({ condition }) => condition === 'bad');

/** Each check with its result. An old one has no colour. */
export function judgeChecks(
  snapshot: Snapshot,
  nodes: readonly JudgedNode[],
  nowMs: number,
): readonly JudgedCheck[] {
  const { health } = snapshot;
  if (health === undefined) return [];
  const isOld = isOldHealth(snapshot, health, nowMs);
  const ago = `${durationText(nowMs - health.atMs)} ago`;
  return health.checks.map(({ name, state, reason, sinceMs }) => ({
    ...{ name, state, reason, isOld },
    condition: isOld ? 'unknown' : state === 'failed' && isOnlyUpgrade(nodes) ? 'warning' : conditions[state],
    word: isOld ? `${state} ${ago}` : `${state} for ${durationText(nowMs - sinceMs)}`,
  }));
}

/** What the checks say. Only a cluster of which nothing else is wrong is called healthy. */
export function healthStatement(snapshot: Snapshot, nodes: readonly JudgedNode[], nowMs: number): Statement {
  const { health, isLive } = snapshot;
  const isAway = nodes.some(({ away }) => away !== undefined);
  const unwell = nodes.filter(({ condition }) => condition === 'warning').length;
  const unknown = (value: string, note: string): Statement => ({ value, note, condition: 'unknown' });
  if (!isLive) return unknown('not known', 'this page is not connected');
  const ago = health === undefined ? '' : `${durationText(nowMs - health.atMs)} ago`;
  const failed = (health?.checks ?? []).filter(({ state }) => state === 'failed');
  const passed = (health?.checks ?? []).filter(({ state }) => state === 'passed').length;
  const isOld = health === undefined || isOldHealth(snapshot, health, nowMs);
  const results = `${countText(passed, 'check')} passed ${ago}`;
  if (isAway) {
    const checked =
      health === undefined
        ? 'checking …'
        : health.problem !== undefined
          ? health.problem
          : isOld
            ? `checking again, last result ${ago}`
            : failed.length > 0
              ? `${countText(failed.length, 'failure')}: ${failed[0]?.name}`
              : results;
    if (isOnlyUpgrade(nodes))
      return { value: 'upgrade', note: `${inTurnText(nodes)}; ${checked}`, condition: 'warning' };
    return { value: 'not healthy', note: checked, condition: 'bad' };
  }
  if (health === undefined) return unknown('–', 'checking …');
  if (health.problem !== undefined) return unknown('not known', health.problem);
  if (isOld) return unknown('checking …', `last result ${ago}`);
  const [first] = failed;
  if (first !== undefined && isOnlyUpgrade(nodes))
    return { value: 'upgrade', note: `${inTurnText(nodes)}; failed: ${first.name}`, condition: 'warning' };
  if (first !== undefined)
    return { value: countText(failed.length, 'failure'), note: first.name, condition: 'bad' };
  if (!nodes.some(({ condition }) => condition === 'good' || condition === 'warning'))
    return unknown('not known', 'no node answers');
  if (passed === 0) return unknown('not known', 'all checks were skipped');
  if (unwell > 0) return { value: 'checks pass', note: results, condition: 'warning' };
  return { value: 'healthy', note: results, condition: 'good' };
}
