import { planProblem } from './plan-problem.ts';
import type { NodeRole, RolloutPlan } from './rollout-plan.ts';

export interface CreatePlanInit {
  /** 32 random hexadecimal digits. */
  readonly id: string;
  readonly action: string;
  readonly nodes: readonly { readonly name: string; readonly role: NodeRole }[];
  /** Default 1. */
  readonly maxUnavailable?: number;
  /** Default 0: it does not pause. */
  readonly pauseAfter?: number;
  readonly limitMs: number;
}

/** A plan, or the reason why none can be made. */
export type PlanResult =
  | { readonly kind: 'plan'; readonly plan: RolloutPlan }
  | { readonly kind: 'refused'; readonly reason: string };

/** A plan that has not begun: control planes first, otherwise in the given order. */
export function createPlan(init: CreatePlanInit): PlanResult {
  const ordered = [
    ...init.nodes.filter(({ role }) => role === 'control-plane'),
    ...init.nodes.filter(({ role }) => role !== 'control-plane'),
  ];
  const plan: RolloutPlan = {
    id: init.id,
    action: init.action,
    maxUnavailable: init.maxUnavailable ?? 1,
    pauseAfter: init.pauseAfter ?? 0,
    limitMs: init.limitMs,
    phase: 'running',
    ...{ reason: '', waitsFor: '' },
    nodes: ordered.map(({ name, role }) => ({ name, role, attempt: 1, progress: { state: 'waiting' } })),
  };
  const problem = planProblem(plan);
  return problem === undefined
    ? { kind: 'plan', plan }
    : { kind: 'refused', reason: `the plan is not valid: ${problem}` };
}
