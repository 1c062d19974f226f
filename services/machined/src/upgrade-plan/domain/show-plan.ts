import type { UpgradePlanSpec, UpgradeStepSpec } from '@nodewright/state/kinds';
import { cordons, type NodePlan, stepsOf } from './node-plan.ts';

/** What is known of the plan of this node. */
export interface PlanState {
  /** `unknown` until the record was read; `undefined` when there is none. */
  readonly plan: NodePlan | 'unknown' | undefined;
  /** What the step waits for; empty when it waits for nothing. */
  readonly waitsFor: string;
}

/** The plan as clients see it. */
export function planSpec({ plan, waitsFor }: PlanState): UpgradePlanSpec {
  if (plan === undefined || plan === 'unknown') {
    const phase = plan ?? 'none';
    return { plan: '', phase, step: '', reason: '', image: '', cordons: false };
  }
  const { id, phase, step, reason, image } = plan;
  return { plan: id, phase, step, reason: reason || waitsFor, image, cordons: cordons(plan) };
}

/** Its steps as clients see them. */
export function stepSpecs({
  plan,
  waitsFor,
}: PlanState): { readonly id: string; readonly spec: UpgradeStepSpec }[] {
  if (plan === undefined || plan === 'unknown') return [];
  const steps = stepsOf(plan);
  const current = steps.indexOf(plan.step);
  return steps.map((id, index) => {
    const isCurrent = index === current && plan.phase !== 'done';
    const done = index <= current ? 'done' : 'pending';
    const state = isCurrent ? currentState(plan, waitsFor) : done;
    const reason = isCurrent ? plan.reason || waitsFor : '';
    return { id, spec: { plan: plan.id, order: index + 1, state, reason } };
  });
}

function currentState({ phase }: NodePlan, waitsFor: string): string {
  if (phase === 'failed') return 'failed';
  return waitsFor === '' ? 'running' : 'waiting';
}
