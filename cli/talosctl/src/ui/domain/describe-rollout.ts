import {
  NodeRole,
  type Rollout,
  type RolloutNode,
} from '@nodewright/contract/gen/suite/upgrade/v1/rollout.ts';
import type { UpgradeStepSpec } from '@nodewright/state/kinds';
import type { Listed } from '../../dashboard/model/facts.ts';
import type { RolloutPlan, RolloutTurn, TurnStep } from '../protocol/rollout.ts';
import { limits } from './limits.ts';

/** What a node has said of its attempt. */
export interface KnownSteps {
  readonly steps: readonly TurnStep[];
  readonly problem?: string | undefined;
}

/** A roll-out as pages get it. What nodes send has limits of its own, and other programs may answer in their place. */
export function describeRollout(rollout: Rollout, steps: ReadonlyMap<string, KnownSteps>): RolloutPlan {
  const { id, action, phase, reason, waitsFor, isSettled, maxUnavailable, pauseAfter, driver } = rollout;
  const startedMs = Number(rollout.startedMs);
  return {
    ...{ id: cut(id), action: cut(action), phase: cut(phase), reason: cut(reason), waitsFor: cut(waitsFor) },
    ...{ isSettled, maxUnavailable, pauseAfter, driver: cut(driver) },
    startedMs: startedMs > 0 ? startedMs : undefined,
    turns: rollout.nodes
      .slice(0, limits.rolloutNodes)
      .map((node) => describeTurn(node, steps.get(node.plan))),
    nodeCount: rollout.nodes.length,
  };
}

function describeTurn(node: RolloutNode, known: KnownSteps | undefined): RolloutTurn {
  const { name, role, attempt, state, reason, spentMs } = node;
  return {
    ...{ name: cut(name), role: roles[role] ?? 'unknown', attempt, state: cut(state), reason: cut(reason) },
    ...{ spentMs: Number(spentMs), steps: known?.steps ?? [], stepsProblem: known?.problem },
  };
}

const roles: Readonly<Record<number, RolloutTurn['role']>> = {
  [NodeRole.NODE_ROLE_CONTROL_PLANE]: 'control plane',
  [NodeRole.NODE_ROLE_WORKER]: 'worker',
};

/** The steps of that plan, in their order. Those of an earlier upgrade of the node are left out. */
export function stepsOfPlan(plan: string, listed: readonly Listed<UpgradeStepSpec>[]): readonly TurnStep[] {
  return listed
    .filter(({ spec }) => spec.plan === plan)
    .toSorted((a, b) => a.spec.order - b.spec.order)
    .slice(0, limits.turnSteps)
    .map(({ id, spec }) => ({ name: cut(id), state: cut(spec.state), reason: cut(spec.reason) }));
}

const cut = (text: string) =>
  text.length > limits.rolloutTextLength ? `${text.slice(0, limits.rolloutTextLength)}…` : text;
