// The gate in front of each node: what must be true of all others before it becomes unavailable.
import type { NodeRole, RolloutPlan } from './rollout-plan.ts';
import type { Wellness } from './wellness.ts';

/** How far a node is with its current attempt. */
export type ActionState =
  /** It does not answer. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'not-begun' }
  | { readonly kind: 'running' }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly reason: string }
  /** It has not begun and never will. */
  | { readonly kind: 'withdrawn' };

export interface NodeFacts {
  /** As the cluster has it, whatever the plan says. */
  readonly role: NodeRole;
  /** A node that is being upgraded or restarted, by this plan or by a person, is not well, and neither is one that does not answer. */
  readonly wellness: Wellness;
  /** For a node that is not in the plan: `unknown`. */
  readonly action: ActionState;
}

/** All nodes of the cluster by their names, also those that are not in the plan. */
export type ClusterFacts = ReadonlyMap<string, NodeFacts>;

/**
 * Why the node must not become unavailable now; `undefined` when it may. All other control planes must be available, and with this node
 * not more than the allowed number of nodes unavailable, whatever the cause. A node that the plan shows as acting counts as unavailable.
 */
export function gateProblem(plan: RolloutPlan, facts: ClusterFacts, node: string): string | undefined {
  const mismatch = clusterProblem(plan, facts);
  if (mismatch !== undefined) return mismatch;
  const acting = new Set(
    plan.nodes.flatMap(({ name, progress }) => (progress.state === 'acting' ? [name] : [])),
  );
  const away = [...facts].flatMap(([name, { role, wellness }]) => {
    if (name === node || (wellness.isWell && !acting.has(name))) return [];
    return [
      { role, text: wellness.isWell ? `${name} has its turn` : `${name} is not well (${wellness.reason})` },
    ];
  });
  const isHeld = away.some(({ role }) => role === 'control-plane') || away.length + 1 > plan.maxUnavailable;
  return isHeld ? away.map(({ text }) => text).join(', ') : undefined;
}

/** What the plan says about the cluster that is not so; `undefined` when all is. */
export function clusterProblem({ nodes }: RolloutPlan, facts: ClusterFacts): string | undefined {
  for (const { name, role } of nodes) {
    const known = facts.get(name);
    if (known === undefined) return `${name} is in the plan, and not in the cluster: abort the plan`;
    if (known.role !== role)
      return `${name} is a ${known.role} in the cluster, and a ${role} in the plan: abort the plan`;
  }
  return undefined;
}
