import type { Rollout, RolloutPreview } from '@nodewright/contract/gen/suite/upgrade/v1/rollout.ts';
import { isSettled, type PreviewRow, type RolloutPlan } from '@nodewright/rollout';
import { nodePlanIdOf } from './node-turn-id.ts';
import { messageOfRole } from './turn-of-message.ts';

/** A plan as clients see it, with what is known of who drives it and when it began. */
export function rolloutMessage(
  plan: RolloutPlan & { readonly driver?: string | undefined; readonly startedMs?: number | undefined },
): Rollout {
  const { id, action, maxUnavailable, pauseAfter, phase, reason, waitsFor, nodes } = plan;
  return {
    ...{ id, action, maxUnavailable, pauseAfter, phase, reason, waitsFor, isSettled: isSettled(plan) },
    ...{ driver: plan.driver ?? '', startedMs: BigInt(plan.startedMs ?? 0) },
    nodes: nodes.map(({ name, role, attempt, progress }) => ({
      ...{ name, role: messageOfRole(role), attempt, state: progress.state },
      reason: progress.state === 'failed' ? progress.reason : '',
      spentMs: progress.state === 'acting' ? BigInt(Math.round(progress.spentMs)) : 0n,
      plan: nodePlanIdOf({ rollout: id, node: name, role, attempt }),
    })),
  };
}

export const previewMessage = (row: PreviewRow): RolloutPreview => ({
  ...{ node: row.name, role: messageOfRole(row.role), action: row.action },
  ...{ maxUnavailable: row.maxUnavailable, pausesAfter: row.pausesAfter },
  refusedBy: row.refusedBy ?? '',
});
