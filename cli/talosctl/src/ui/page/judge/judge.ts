import type { Outage } from '../../protocol/messages.ts';
import type { Condition, Statement } from './condition.ts';
import { type JudgedEtcd, judgeEtcd } from './judge-etcd.ts';
import { healthStatement, type JudgedCheck, judgeChecks } from './judge-health.ts';
import {
  type JudgedNode,
  judgeNode,
  nodesStatement,
  reachStatement,
  versionStatement,
} from './judge-nodes.ts';
import { type JudgedRollout, judgeRollout } from './judge-rollout.ts';
import type { Snapshot } from './snapshot.ts';

/** Everything that the page says about the condition of the cluster, of one snapshot. */
export interface Judgement {
  /** The number of the snapshot, which each part shows as `data-snapshot`. */
  readonly number: number;
  /** In the order of the client. */
  readonly nodes: readonly JudgedNode[];
  /** The whole cluster. */
  readonly cluster: Statement;
  readonly reach: Statement;
  readonly condition: Statement;
  readonly health: Statement;
  readonly version: Statement;
  readonly checks: readonly JudgedCheck[];
  /** Why the checks cannot be run. */
  readonly healthProblem: string | undefined;
  readonly etcd: JudgedEtcd;
  /** The upgrade of all nodes. */
  readonly rollout: JudgedRollout;
  readonly outages: readonly Outage[];
}

/**
 * Judges a snapshot. No other code of the page does, so its parts cannot contradict each other.
 *
 * @param nowMs milliseconds since 1970, for ages
 */
export function judge(snapshot: Snapshot, nowMs: number): Judgement {
  const nodes = snapshot.names.map((name) => judgeNode(name, snapshot, nowMs));
  const reach = reachStatement(nodes);
  const condition = nodesStatement(nodes);
  const health = healthStatement(snapshot, nodes, nowMs);
  const etcd = judgeEtcd(snapshot, nodes);
  const rollout = judgeRollout(snapshot, nodes, nowMs);
  return {
    ...{ number: snapshot.number, nodes, reach, condition, health },
    cluster: clusterStatement(reach, condition, health, etcd.statement, rollout.statement),
    version: versionStatement(snapshot),
    checks: judgeChecks(snapshot, nodes, nowMs),
    healthProblem: snapshot.health?.problem,
    etcd,
    rollout,
    outages: snapshot.outages,
  };
}

const severity: readonly Condition[] = ['bad', 'warning', 'unknown', 'good'];

/** The worst of the statements, in a few words. */
function clusterStatement(
  reach: Statement,
  condition: Statement,
  health: Statement,
  etcd: Statement | undefined,
  rollout: Statement | undefined,
): Statement {
  const all = [reach, condition, health, etcd, rollout].filter((each) => each !== undefined);
  const worst = all.toSorted(
    (a, b) => severity.indexOf(a.condition) - severity.indexOf(b.condition),
  )[0] as Statement;
  if (worst.condition === 'good') {
    const value = rollout === undefined ? 'all is well' : `all is well; ${rollout.note}`;
    return { value, note: health.note, condition: 'good' };
  }
  if (worst === reach) return { value: reach.note, note: reach.note, condition: reach.condition };
  const checked =
    health.value === '–' || health.value === 'upgrade' ? health.note : `health: ${health.value}`;
  const value = worst === health ? checked : worst.note;
  return { value, note: worst.note, condition: worst.condition };
}

/** The order of many nodes: those in trouble first, then by name. */
export function byTrouble(a: JudgedNode, b: JudgedNode): number {
  return (
    severity.indexOf(a.condition) - severity.indexOf(b.condition) ||
    (a.name === b.name ? 0 : a.name < b.name ? -1 : 1)
  );
}
