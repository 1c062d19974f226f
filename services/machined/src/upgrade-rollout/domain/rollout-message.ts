import type { Rollout, RolloutPreview } from '@nodewright/contract/gen/suite/upgrade/v1/rollout.ts';
import { isSettled, type PreviewRow, type RolloutPlan } from '@nodewright/rollout';
import { messageOfRole } from './turn-of-message.ts';

/** A plan as clients see it. */
export function rolloutMessage(plan: RolloutPlan): Rollout {
  const { id, action, maxUnavailable, pauseAfter, phase, reason, waitsFor, nodes } = plan;
  return {
    ...{ id, action, maxUnavailable, pauseAfter, phase, reason, waitsFor, isSettled: isSettled(plan) },
    nodes: nodes.map(({ name, role, attempt, progress }) => ({
      ...{ name, role: messageOfRole(role), attempt, state: progress.state },
      reason: progress.state === 'failed' ? progress.reason : '',
      spentMs: progress.state === 'acting' ? BigInt(Math.round(progress.spentMs)) : 0n,
    })),
  };
}

export const previewMessage = (row: PreviewRow): RolloutPreview => ({
  ...{ node: row.name, role: messageOfRole(row.role), action: row.action },
  ...{ maxUnavailable: row.maxUnavailable, pausesAfter: row.pausesAfter },
  refusedBy: row.refusedBy ?? '',
});
