// What people ask of a plan.
import { nextAttempt } from './apply-step.ts';
import type { PlanResult } from './create-plan.ts';
import { type ClusterFacts, withPlannedNodes } from './gate.ts';
import { planLimits, type RolloutPlan } from './rollout-plan.ts';

export type PlanRequest = 'pause' | 'resume' | 'abort';

/**
 * The plan after a request, or why it cannot be carried out. A request that is repeated changes nothing, but for one: to abort a plan again
 * gives up on the nodes that do not answer, so that nothing has to wait for them any more. A driver must have said meanwhile what the plan
 * waits for: a client whose answer was lost asks again at once, and means no second abort.
 *
 * @param facts how the nodes are; without it nobody is given up
 */
export function changePlan(plan: RolloutPlan, request: PlanRequest, facts?: ClusterFacts): PlanResult {
  if (plan.phase === 'done' || (plan.phase === 'aborted' && request !== 'abort'))
    return { kind: 'refused', reason: `the roll-out is ${plan.phase} already` };
  switch (request) {
    case 'pause':
      if (plan.phase === 'stopped') return { kind: 'refused', reason: 'the roll-out has stopped already' };
      return { kind: 'plan', plan: { ...plan, phase: 'paused', reason: 'paused by request' } };
    case 'abort':
      if (plan.phase === 'aborted') {
        const givesUp = facts !== undefined && plan.waitsFor !== '';
        return {
          kind: 'plan',
          plan: givesUp ? withoutSilentNodes(plan, withPlannedNodes(plan, facts)) : plan,
        };
      }
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

/** Such a node may still act, and ends as it would have: an aborted plan lets no node begin. */
function withoutSilentNodes(plan: RolloutPlan, facts: ClusterFacts): RolloutPlan {
  const reason = 'it did not answer when the roll-out was aborted again';
  return {
    ...plan,
    // Before the next look nobody knows what is left to wait for.
    waitsFor: '',
    nodes: plan.nodes.map((node) =>
      node.progress.state === 'acting' && facts.get(node.name)?.action.kind === 'unknown'
        ? { ...node, progress: { state: 'failed', reason } }
        : node,
    ),
  };
}
