import { changePlan, type PlanRequest } from '../domain/change-plan.ts';
import type { PlanResult } from '../domain/create-plan.ts';
import type { ClusterFacts } from '../domain/gate.ts';
import { planFromBytes, planToBytes } from '../domain/plan-text.ts';
import { isOver, isSettled, type RolloutPlan, unfinishedText } from '../domain/rollout-plan.ts';
import type { PlanStore, StoredPlan } from './rollout-ports.ts';

/** A driver may write between a look and a write, a few times at most. */
const tries = 5;
const busy: PlanResult = { kind: 'refused', reason: 'the plan changes all the time: try again' };

/**
 * Stores a new plan, which then begins by itself. Refused while another one is not over: of two people who begin at once one is refused.
 *
 * @param nowMs the time that `beginOf()` tells later; without it nobody knows when the plan began
 */
export async function beginPlan(
  store: PlanStore,
  plan: RolloutPlan,
  signal: AbortSignal,
  nowMs?: number,
): Promise<PlanResult> {
  const bytes = planToBytes(plan);
  const stored = await store.read(signal);
  if (stored !== undefined) {
    const before = planFromBytes(stored.bytes);
    if (before.kind === 'refused') return { kind: 'refused', reason: `${before.reason}: abort it first` };
    if (before.plan.id === plan.id) return before;
    if (!isOver(before.plan))
      return { kind: 'refused', reason: `${unfinishedText(before.plan)}: wait for it, or abort it` };
  }
  const begun = nowMs === undefined ? undefined : `${plan.id} ${Math.round(nowMs)}`;
  if (await store.write(bytes, { revision: stored?.revision ?? 0n, begun }, signal))
    return { kind: 'plan', plan };
  return { kind: 'refused', reason: 'another roll-out has begun at the same moment' };
}

/** When the plan began, in Unix ms; `undefined` when that is not known: a node of an older version has begun it. */
export function beginOf(
  { begun }: Pick<StoredPlan, 'begun'>,
  plan: Pick<RolloutPlan, 'id'>,
): number | undefined {
  const [, id, ms] = /^([0-9a-f]{32}) (\d{1,15})$/.exec(begun ?? '') ?? [];
  return id === plan.id ? Number(ms) : undefined;
}

/**
 * Pauses, resumes or aborts the plan in etcd. To abort one that is not valid removes it.
 *
 * @param id the plan that is meant; empty: the one in etcd
 * @param look asks the nodes how they are, when a plan is aborted again; without it no node is given up
 */
export async function requestPlan(
  store: PlanStore,
  request: PlanRequest,
  signal: AbortSignal,
  id = '',
  look?: (plan: RolloutPlan, signal: AbortSignal) => Promise<ClusterFacts>,
): Promise<PlanResult> {
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const stored = await store.read(signal);
    if (stored === undefined) return { kind: 'refused', reason: 'there is no roll-out' };
    const before = planFromBytes(stored.bytes);
    if (before.kind === 'refused') {
      if (request !== 'abort') return before;
      if (await store.remove(stored.revision, signal))
        return { kind: 'refused', reason: `${before.reason}: it was removed` };
      continue;
    }
    if (id !== '' && before.plan.id !== id)
      return { kind: 'refused', reason: `etcd has another roll-out, ${before.plan.id}: look at it first` };
    const isAgain = request === 'abort' && before.plan.phase === 'aborted' && !isSettled(before.plan);
    const facts = isAgain ? await look?.(before.plan, signal) : undefined;
    const result = changePlan(before.plan, request, facts);
    if (result.kind === 'refused') return result;
    if (await store.write(planToBytes(result.plan), { revision: stored.revision }, signal)) return result;
  }
  return busy;
}
