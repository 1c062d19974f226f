import { type ClusterFacts, gateProblem, withPlannedNodes } from './gate.ts';
import type { NodeRole, RolloutPlan } from './rollout-plan.ts';

/** What a plan will do to a node, and what would keep it from it if its turn came now. */
export interface PreviewRow {
  readonly name: string;
  readonly role: NodeRole;
  /** What the node does. */
  readonly action: string;
  /** How many nodes may be unavailable while it acts, with itself. */
  readonly maxUnavailable: number;
  /** Whether the plan pauses when this many nodes are done. */
  readonly pausesAfter: boolean;
  /** Why it could not act in any turn; `undefined` when nothing is known that would keep it from it. */
  readonly cannotAct: string | undefined;
  /** Why its turn would not begin now; `undefined` when it would. */
  readonly refusedBy: string | undefined;
}

/** The rows of a dry run, in the order of the turns, without the nodes that are done. */
export function previewPlan(plan: RolloutPlan, known: ClusterFacts): PreviewRow[] {
  const facts = withPlannedNodes(plan, known);
  return plan.nodes.flatMap(({ name, role, progress }, index) => {
    if (progress.state === 'done') return [];
    const { wellness, cannotAct } = facts.get(name) ?? {};
    const own = wellness?.isWell === false ? `${name} is not well (${wellness.reason})` : undefined;
    return [
      {
        ...{ name, role, action: plan.action },
        maxUnavailable: role === 'control-plane' ? 1 : plan.maxUnavailable,
        pausesAfter: plan.pauseAfter === index + 1,
        ...{ cannotAct, refusedBy: cannotAct ?? gateProblem(plan, facts, name) ?? own },
      },
    ];
  });
}
