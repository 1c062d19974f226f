// The gate in front of each node: what must be true of all others before it becomes unavailable.
import type { NodeRole, RolloutPlan } from './rollout-plan.ts';
import type { Wellness } from './wellness.ts';

/** How far a node is with its current attempt. */
export type ActionState =
  /** It does not answer. */
  | { readonly kind: 'unknown' }
  /** `reason`: why the start was refused last. */
  | { readonly kind: 'not-begun'; readonly reason?: string }
  /** It has been asked, and gets what it needs. It has a limit of its own for that, fails when it is over, and is as available as before. */
  | { readonly kind: 'preparing'; readonly reason?: string }
  /** `reason`: what it does, and what it waits for. */
  | { readonly kind: 'running'; readonly reason?: string }
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
  /** Why it could not act in any turn, as far as that was asked for; it is before a plan begins. */
  readonly cannotAct?: string | undefined;
}

/** All nodes of the cluster by their names, also those that are not in the plan. */
export type ClusterFacts = ReadonlyMap<string, NodeFacts>;

/** Of a node that is in the plan, and that the cluster does not list. */
const away: Pick<NodeFacts, 'wellness' | 'action'> = {
  wellness: { isWell: false, reason: 'does not answer' },
  action: { kind: 'unknown' },
};

/**
 * The facts with all nodes of the plan. A cluster lists live nodes only, so a node that is missing restarts, or is down: it counts as one
 * that does not answer, with the role that it has in the plan.
 */
export function withPlannedNodes({ nodes }: RolloutPlan, facts: ClusterFacts): ClusterFacts {
  const missing = nodes.filter(({ name }) => !facts.has(name));
  if (missing.length === 0) return facts;
  return new Map([...facts, ...missing.map(({ name, role }) => [name, { role, ...away }] as const)]);
}

/**
 * Why the node must not become unavailable now; `undefined` when it may. All other control planes must be available, and with this node
 * not more than the allowed number of nodes unavailable, whatever the cause. A node that the plan shows as acting counts as unavailable.
 */
export function gateProblem(plan: RolloutPlan, known: ClusterFacts, node: string): string | undefined {
  const facts = withPlannedNodes(plan, known);
  const mismatch = roleProblem(plan, facts);
  if (mismatch !== undefined) return mismatch;
  const acting = new Set(
    plan.nodes.flatMap(({ name, progress }) => (progress.state === 'acting' ? [name] : [])),
  );
  const absent = [...facts].flatMap(([name, { role, wellness }]) => {
    if (name === node || (wellness.isWell && !acting.has(name))) return [];
    return [
      { role, text: wellness.isWell ? `${name} has its turn` : `${name} is not well (${wellness.reason})` },
    ];
  });
  const isHeld =
    absent.some(({ role }) => role === 'control-plane') || absent.length + 1 > plan.maxUnavailable;
  return isHeld ? absent.map(({ text }) => text).join(', ') : undefined;
}

/** Which role the plan gives wrongly; `undefined` when all are right. */
function roleProblem({ nodes }: RolloutPlan, facts: ClusterFacts): string | undefined {
  for (const { name, role } of nodes) {
    const known = facts.get(name);
    if (known !== undefined && known.role !== role)
      return `${name} is a ${known.role} in the cluster, and a ${role} in the plan: abort the plan`;
  }
  return undefined;
}
