import type { RolloutStep } from './decide-step.ts';
import { type ClusterFacts, gateProblem } from './gate.ts';
import { type PlannedNode, planLimits, type RolloutPlan, shortReason } from './rollout-plan.ts';

/** The plan after a step. What a step only asks of a node changes nothing. */
export function applyStep(plan: RolloutPlan, step: RolloutStep): RolloutPlan {
  const waitsFor = shortReason(waitText(step));
  switch (step.kind) {
    case 'grant':
      return {
        ...withNode(plan, step.node, () => ({ progress: { state: 'acting', spentMs: 0 } })),
        waitsFor,
      };
    case 'confirm':
      return { ...withNode(plan, step.node, () => ({ progress: { state: 'done' } })), waitsFor };
    case 'revoke':
      return { ...withNode(plan, step.node, nextAttempt), waitsFor };
    case 'fail': {
      const reason = shortReason(step.reason);
      const failed = withNode(plan, step.node, () => ({ progress: { state: 'failed', reason } }));
      if (plan.phase === 'aborted') return { ...failed, waitsFor };
      return { ...failed, phase: 'stopped', reason: shortReason(`${step.node}: ${reason}`), waitsFor };
    }
    case 'pause':
      return { ...plan, phase: 'paused', reason: shortReason(step.reason), waitsFor };
    case 'finish':
      return { ...plan, phase: 'done', reason: '', waitsFor };
    default:
      return { ...plan, waitsFor };
  }
}

/** What the plan waits for after a step. */
function waitText(step: RolloutStep): string {
  if (step.kind === 'wait') return step.reason;
  if (step.kind === 'start') return `${step.node.name} to begin${step.reason ? `: ${step.reason}` : ''}`;
  return step.kind === 'withdraw' ? `${step.node.name} to give its turn back` : '';
}

/** A node waits for another turn. It does not act again for the attempt that it had. */
export function nextAttempt({ attempt }: PlannedNode): Pick<PlannedNode, 'attempt' | 'progress'> {
  return { attempt: attempt + 1, progress: { state: 'waiting' } };
}

/**
 * Counts the time since the last look for the nodes that act. A node that has not begun, because the others are not well or because it gets ready, has
 * not had this time.
 *
 * @param elapsedMs since the last look of the same driver
 */
export function spendTime(plan: RolloutPlan, facts: ClusterFacts, elapsedMs: number): RolloutPlan {
  const nodes = plan.nodes.map((node): PlannedNode => {
    const { name, progress } = node;
    if (progress.state !== 'acting') return node;
    const kind = facts.get(name)?.action.kind;
    const isHeld = kind === 'not-begun' && gateProblem(plan, facts, name) !== undefined;
    if (isHeld || kind === 'preparing') return node;
    const spentMs = Math.min(Math.round(progress.spentMs + elapsedMs), planLimits.limitMs * 2);
    return { ...node, progress: { state: 'acting', spentMs } };
  });
  return { ...plan, nodes };
}

function withNode(
  plan: RolloutPlan,
  name: string,
  change: (node: PlannedNode) => Partial<PlannedNode>,
): RolloutPlan {
  return {
    ...plan,
    nodes: plan.nodes.map((node) => (node.name === name ? { ...node, ...change(node) } : node)),
  };
}
