// What the page says about the whole cluster. What is not known is never shown as well.
import type { CheckState, NodeSummary } from '../../protocol/messages.ts';
import { countText } from '../parts/figures.ts';

export type Condition = 'good' | 'warning' | 'bad' | 'unknown';

/** The condition of one node. A node that does not say whether it is ready is not known to be. */
export function conditionOf(summary: NodeSummary | undefined): Condition {
  if (summary === undefined || summary.reach.kind === 'connecting') return 'unknown';
  if (summary.reach.kind === 'away') return 'bad';
  if (summary.isReady === false || summary.troubles.length > 0) return 'warning';
  return summary.isReady === undefined ? 'unknown' : 'good';
}

export interface KnownCluster {
  readonly names: readonly string[];
  readonly summaries: ReadonlyMap<string, NodeSummary>;
  readonly checks: readonly CheckState[];
  /** Why the checks could not be run. */
  readonly healthProblem: string | undefined;
}

/** A statement about the cluster: a word or a number, what it means, and how good that is. */
export interface Statement {
  readonly value: string;
  readonly note: string;
  readonly condition: Condition;
}

/** How many nodes can be reached. */
export function reachStatement({ names, summaries }: KnownCluster): Statement {
  const kinds = names.map((name) => summaries.get(name)?.reach.kind ?? 'connecting');
  const count = (wanted: (typeof kinds)[number]) => kinds.filter((kind) => kind === wanted).length;
  const value = `${count('here')} of ${names.length}`;
  if (count('away') > 0) return { value, note: `${countText(count('away'), 'node')} away`, condition: 'bad' };
  if (count('here') === names.length) return { value, note: 'all answer', condition: 'good' };
  return { value, note: `${countText(count('connecting'), 'node')} not known yet`, condition: 'unknown' };
}

/** Whether the nodes are well. */
export function nodesStatement({ names, summaries }: KnownCluster): Statement {
  const of = (wanted: readonly Condition[]) =>
    names.filter((name) => wanted.includes(conditionOf(summaries.get(name))));
  const unwell = of(['warning']);
  if (unwell.length > 0) {
    return { value: countText(unwell.length, 'node'), note: `not well: ${unwell[0]}`, condition: 'warning' };
  }
  const silent = of(['bad', 'unknown']);
  if (silent.length === 0) return { value: 'well', note: 'no service complains', condition: 'good' };
  return {
    value: 'not known',
    note: `no state of ${countText(silent.length, 'node')}`,
    condition: 'unknown',
  };
}

/** What the checks say. Results of checks that can no longer be run say nothing about now. */
export function healthStatement({ names, summaries, checks, healthProblem }: KnownCluster): Statement {
  const failed = checks.filter(({ state }) => state === 'failed');
  const passed = checks.filter(({ state }) => state === 'passed').length;
  const unknown = (note: string): Statement => ({ value: 'not known', note, condition: 'unknown' });
  if (healthProblem !== undefined) return unknown(healthProblem);
  if (checks.length === 0) return { value: '–', note: 'checking …', condition: 'unknown' };
  const [first] = failed;
  if (first !== undefined)
    return { value: countText(failed.length, 'failure'), note: first.name, condition: 'bad' };
  if (!names.some((name) => summaries.get(name)?.reach.kind === 'here')) return unknown('no node answers');
  if (passed === 0) return unknown('all checks were skipped');
  return { value: 'healthy', note: `${countText(passed, 'check')} passed`, condition: 'good' };
}

/** The versions that nodes report. */
export function versionStatement({ names, summaries }: KnownCluster): Statement {
  const here = names.filter((name) => summaries.get(name)?.reach.kind === 'here');
  const known = here.flatMap((name) => summaries.get(name)?.version ?? []);
  const [first, ...others] = new Set(known);
  if (first === undefined) return { value: '–', note: 'not known', condition: 'unknown' };
  if (others.length > 0) return { value: first, note: `and ${others.join(', ')}`, condition: 'warning' };
  const note =
    known.length === names.length ? 'the same everywhere' : `of ${countText(known.length, 'node')}`;
  return { value: first, note, condition: 'unknown' };
}
