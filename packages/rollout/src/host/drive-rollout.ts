// Carries out the plan that lies in etcd. Each step is decided from the plan and the cluster as they are, so a driver that dies at any point
// is followed by another that knows as much.
import { pauseBy, type Timers } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
import { applyStep, spendTime } from '../domain/apply-step.ts';
import { decideStep, type RolloutStep } from '../domain/decide-step.ts';
import type { ClusterFacts } from '../domain/gate.ts';
import { planFromBytes, planToBytes } from '../domain/plan-text.ts';
import { isSettled, type RolloutPlan } from '../domain/rollout-plan.ts';
import type { ClusterView, NodeActions, PlanStore, StoredPlan } from './rollout-ports.ts';
import type { Turn } from './turn.ts';

export interface DriveRolloutInit {
  readonly store: PlanStore;
  readonly cluster: ClusterView;
  readonly actions: NodeActions;
  readonly timers: Timers;
  /** Called for each step, and with what keeps the driver from a step. */
  readonly report: (event: DriverEvent) => void;
}

export type DriverEvent =
  | { readonly kind: 'step'; readonly plan: RolloutPlan; readonly step: RolloutStep }
  /** The driver cannot do its work at the moment, and tries again. */
  | { readonly kind: 'trouble'; readonly reason: string };

export type DriveOutcome =
  /** There is no plan, or nothing to do for it until somebody changes it. */
  | { readonly kind: 'settled' }
  /** The plan in etcd is not valid. Nobody acts on it until it is removed. */
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'turn-lost' }
  /** This driver has not seen the cluster for some looks. Another one may. */
  | { readonly kind: 'cannot-look' };

/** The pause between two looks, in ms. */
export const driverPollMs = 5_000;
/** After how many looks in a row that failed a driver gives its turn back. */
const failedLooksAtMost = 3;
/** What a driver counts at most for the time between two looks, in ms: one that stood still does not blame the nodes. */
const longestGapMs = 60_000;
/** How much of the time that a node has had may be lost with its driver, in ms. */
const unsavedMs = 10_000;

/**
 * Carries out the plan in etcd as long as the turn is held and the cluster can be looked at, until there is nothing to do for it.
 *
 * @param turn the turn of the whole roll-out; the caller gives it back
 * @throws the reason of the signal when it aborts
 */
export async function driveRollout(
  init: DriveRolloutInit,
  turn: Turn,
  signal: AbortSignal,
): Promise<DriveOutcome> {
  const { timers, report } = init;
  // Since when the time of the nodes that act is not in etcd.
  let savedMs = timers.monotonicMs();
  let failedLooks = 0;
  // Another driver asks them anew.
  const askedInVain: string[] = [];
  while (turn.isHeld()) {
    signal.throwIfAborted();
    try {
      const stored = await init.store.read(signal);
      const plan = livePlanOf(stored);
      if (plan === undefined || stored === undefined) return { kind: 'settled' };
      if (plan.kind === 'refused') return { kind: 'invalid', reason: plan.reason };
      failedLooks += 1;
      const facts = await init.cluster.look(plan.plan, signal);
      failedLooks = 0;
      const nowMs = timers.monotonicMs();
      const elapsedMs = Math.min(nowMs - savedMs, longestGapMs);
      const look = { plan: plan.plan, revision: stored.revision, facts, elapsedMs, askedInVain };
      const { isProgress, isSaved } = await takeStep(init, look, turn, signal);
      if (isSaved) savedMs = nowMs;
      if (isProgress) continue;
    } catch (error) {
      signal.throwIfAborted();
      // A write whose answer was lost may have saved it. What is not counted gives the nodes more time, never less.
      savedMs = timers.monotonicMs();
      report({ kind: 'trouble', reason: faultFrom(error).message });
      if (failedLooks >= failedLooksAtMost) return { kind: 'cannot-look' };
    }
    await pauseBy(timers, driverPollMs, signal);
  }
  signal.throwIfAborted();
  return { kind: 'turn-lost' };
}

/** The plan if there is something to do for it. */
function livePlanOf(stored: StoredPlan | undefined) {
  if (stored === undefined) return undefined;
  const result = planFromBytes(stored.bytes);
  return result.kind === 'plan' && isSettled(result.plan) ? undefined : result;
}

interface Look {
  readonly plan: RolloutPlan;
  readonly revision: bigint;
  readonly facts: ClusterFacts;
  readonly elapsedMs: number;
  /** As `decideStep()` has it. A step that asks a node changes it. */
  readonly askedInVain: string[];
}

interface StepTaken {
  /** Whether the plan has changed, so that the next step may follow at once. */
  readonly isProgress: boolean;
  /** Whether etcd has all of the time that nodes have acted. */
  readonly isSaved: boolean;
}

async function takeStep(
  { store, actions, report }: DriveRolloutInit,
  { plan, revision, facts, elapsedMs, askedInVain }: Look,
  turn: Turn,
  signal: AbortSignal,
): Promise<StepTaken> {
  const aged = spendTime(plan, facts, elapsedMs);
  const step = decideStep(aged, facts, askedInVain);
  const next = applyStep(aged, step);
  const unsaved = spentSince(plan, aged);
  const isOfRecord = !['start', 'withdraw', 'wait'].includes(step.kind);
  const isWritten = isOfRecord || next.waitsFor !== plan.waitsFor || unsaved >= unsavedMs;
  if (isWritten && !(await store.write(planToBytes(next), { revision, turn }, signal)))
    return { isProgress: false, isSaved: false };
  const isSaved = isWritten || unsaved === 0;
  report({ kind: 'step', plan: next, step });
  if (!turn.isHeld()) return { isProgress: false, isSaved };
  const askedBefore = step.kind === 'start' ? askedInVain.indexOf(step.node.name) : -1;
  if (askedBefore !== -1) askedInVain.splice(askedBefore, 1);
  try {
    if (step.kind === 'start') await actions.start(next, step.node, signal);
    if (step.kind === 'withdraw') await actions.withdraw(next, step.node, signal);
  } catch (error) {
    signal.throwIfAborted();
    // It is asked again, and its time goes on.
    if (step.kind === 'start') askedInVain.push(step.node.name);
    report({ kind: 'trouble', reason: faultFrom(error).message });
  }
  return { isProgress: isOfRecord, isSaved };
}

/** The longest time of a node that the plan in etcd does not have yet, in ms. */
function spentSince(before: RolloutPlan, after: RolloutPlan): number {
  return Math.max(
    0,
    ...after.nodes.map(({ progress }, index) => {
      const earlier = before.nodes[index]?.progress;
      return progress.state === 'acting' && earlier?.state === 'acting'
        ? progress.spentMs - earlier.spentMs
        : 0;
    }),
  );
}
