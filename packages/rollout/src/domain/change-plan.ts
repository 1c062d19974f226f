// What people ask of a plan.
import { nextAttempt } from './apply-step.ts';
import type { PlanResult } from './create-plan.ts';
import { planLimits, type RolloutPlan } from './rollout-plan.ts';

export type PlanRequest = 'pause' | 'resume' | 'abort';

/** The plan after a request, or why it cannot be carried out. A request that is repeated changes nothing. */
export function changePlan(plan: RolloutPlan, request: PlanRequest): PlanResult {
  if (plan.phase === 'done' || (plan.phase === 'aborted' && request !== 'abort'))
    return { kind: 'refused', reason: `the roll-out is ${plan.phase} already` };
  switch (request) {
    case 'pause':
      if (plan.phase === 'stopped') return { kind: 'refused', reason: 'the roll-out has stopped already' };
      return { kind: 'plan', plan: { ...plan, phase: 'paused', reason: 'paused by request' } };
    case 'abort':
      return {
        kind: 'plan',
        plan: { ...plan, phase: 'aborted', reason: 'aborted by request', waitsFor: '' },
      };
    case 'resume':
      if (
        plan.nodes.some(
          ({ attempt, progress }) => progress.state === 'failed' && attempt === planLimits.attempts,
        )
      )
        return { kind: 'refused', reason: `a node had ${planLimits.attempts} attempts: abort the roll-out` };
      return { kind: 'plan', plan: resumed(plan) };
  }
}

/** Nodes that failed get another attempt. A plan that has paused does not pause again. */
function resumed(plan: RolloutPlan): RolloutPlan {
  if (plan.phase === 'running') return plan;
  const done = plan.nodes.filter(({ progress }) => progress.state === 'done').length;
  return {
    ...plan,
    phase: 'running',
    ...{ reason: '', waitsFor: '' },
    pauseAfter: done >= plan.pauseAfter ? 0 : plan.pauseAfter,
    nodes: plan.nodes.map((node) =>
      node.progress.state === 'failed' ? { ...node, ...nextAttempt(node) } : node,
    ),
  };
}
