// What the program knows of the cluster, with a number that every page shows. Pure: the time is an argument.
import type { HealthResult, NodeSummary, Outage } from '../protocol/messages.ts';
import { isExpectedAway, type RolloutState, turnOf } from '../protocol/rollout.ts';

export interface ClusterRecord {
  /** Grows with each change that a page judges by. Figures such as the use of a processor do not count. */
  readonly number: number;
  /** The number of the last change of a node. Checks that began before it say nothing about now. */
  readonly nodesNumber: number;
  readonly summaries: ReadonlyMap<string, NodeSummary>;
  readonly health?: HealthResult;
  /** The upgrade of all nodes; undefined before anybody was asked. */
  readonly rollout?: RolloutState;
  /** The newest first. */
  readonly outages: readonly Outage[];
}

/** The oldest outages that are over are forgotten. */
export const mostOutages = 200;

export const emptyRecord: ClusterRecord = { number: 0, nodesNumber: 0, summaries: new Map(), outages: [] };

/** The record after some nodes have changed. */
export function withSummaries(
  record: ClusterRecord,
  changed: readonly NodeSummary[],
  nowMs: number,
): ClusterRecord {
  const summaries = new Map(record.summaries);
  let isOther = false;
  let startsChecks = false;
  let { outages } = record;
  for (const summary of changed) {
    const before = summaries.get(summary.name);
    summaries.set(summary.name, summary);
    isOther ||= before === undefined || judgedPart(before) !== judgedPart(summary);
    startsChecks ||= before === undefined || checkedPart(before, summary) !== checkedPart(summary, before);
    const { reach, name } = summary;
    const subject = { kind: 'node', name } as const;
    if (reach.kind === 'away') {
      const isForUpgrade = isExpectedAway(turnOf(record.rollout, summary), reach.sinceMs, nowMs);
      const outage = { ...subject, fromMs: reach.sinceMs, reason: reach.message };
      outages = withOutage(outages, isForUpgrade ? { ...outage, isForUpgrade } : outage);
    }
    if (reach.kind === 'here') outages = withoutOutage(outages, subject, nowMs);
  }
  if (!isOther) return { ...record, summaries };
  const number = record.number + 1;
  return { ...record, number, nodesNumber: startsChecks ? number : record.nodesNumber, summaries, outages };
}

/** The record after the checks have ended. */
export function withHealth(record: ClusterRecord, health: HealthResult): ClusterRecord {
  let { outages } = record;
  for (const { name, state, sinceMs, reason = '' } of health.checks) {
    const subject = { kind: 'check', name } as const;
    if (state === 'failed') outages = withOutage(outages, { ...subject, fromMs: sinceMs, reason });
    else outages = withoutOutage(outages, subject, health.atMs);
  }
  return { ...record, number: record.number + 1, health, outages };
}

/** The record after the upgrade of all nodes has gone on. */
export function withRollout(record: ClusterRecord, rollout: RolloutState): ClusterRecord {
  const { rollout: before } = record;
  const isOther = before === undefined || rolloutPart(before) !== rolloutPart(rollout);
  return { ...record, number: isOther ? record.number + 1 : record.number, rollout };
}

/** How long a node acts is a figure. */
const rolloutPart = (rollout: RolloutState) =>
  JSON.stringify(rollout, (key, value) => (key === 'spentMs' ? undefined : value));

/**
 * The record when somebody looks after a long time in which the checks did not run. A check that failed counts as failed until its last
 * result: nobody knows what was after that.
 */
export function withoutHealth(record: ClusterRecord): ClusterRecord {
  const { health, outages, ...rest } = record;
  if (health === undefined) return record;
  const ended = outages.map((each) =>
    each.kind === 'check' && each.toMs === undefined ? { ...each, toMs: health.atMs } : each,
  );
  return { ...rest, number: record.number + 1, outages: ended };
}

/** What a page judges a node by. Texts of failures differ from one attempt to the next, and are not part of it. */
const judgedPart = (summary: NodeSummary) =>
  JSON.stringify([nodePart(summary), etcdPart(summary), summary.isEtcdSilent]);

/**
 * What makes the results of checks old when it changes. A member of etcd that does not answer once in time does not: on a busy machine no
 * result would ever be new.
 */
const checkedPart = (summary: NodeSummary, other: NodeSummary) =>
  JSON.stringify([nodePart(summary), summary.etcd && other.etcd && etcdPart(summary)]);

function nodePart({ reach, role, version, stage, isReady, services, troubles }: NodeSummary): unknown {
  const sinceMs = reach.kind === 'away' ? reach.sinceMs : 0;
  return [reach.kind, sinceMs, role, version, stage, isReady, services, troubles.map(({ name }) => name)];
}

const etcdPart = ({ etcd }: NodeSummary) =>
  etcd && [etcd.id, etcd.leader, etcd.isLearner, etcd.alarms, etcd.errors.length];

type Subject = Pick<Outage, 'kind' | 'name'>;

const isOpen = (outage: Outage, { kind, name }: Subject) =>
  outage.toMs === undefined && outage.kind === kind && outage.name === name;

function withOutage(outages: readonly Outage[], outage: Outage): readonly Outage[] {
  if (outages.some((each) => isOpen(each, outage))) return outages;
  const all = [outage, ...outages];
  const over = all.findLastIndex(({ toMs }) => toMs !== undefined);
  return all.length > mostOutages && over >= 0 ? all.toSpliced(over, 1) : all;
}

function withoutOutage(outages: readonly Outage[], subject: Subject, toMs: number): readonly Outage[] {
  if (!outages.some((each) => isOpen(each, subject))) return outages;
  return outages.map((each) => (isOpen(each, subject) ? { ...each, toMs } : each));
}
