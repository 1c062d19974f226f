// Every control plane follows the plan in etcd. One of them drives it, and when that one dies or is itself restarted, another goes on.
import { pauseBy } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
import { planFromBytes } from '../domain/plan-text.ts';
import { isSettled } from '../domain/rollout-plan.ts';
import { type DriveRolloutInit, driveRollout } from './drive-rollout.ts';
import type { Turn } from './turn.ts';

export interface FollowRolloutsInit extends DriveRolloutInit {
  /** Waits for the turn of the whole roll-out. The wait ends when the signal aborts, or by itself: then it throws. */
  readonly takeTurn: (signal: AbortSignal) => Promise<Turn>;
}

/** The pause between two looks for a plan, in ms. */
export const followPollMs = 5_000;

/** How long a driver that could not look at the cluster lets the others go first, in ms. */
export const stepBackMs = 20_000;

/** Drives each plan when the turn is this node's, until the signal aborts. It does not throw. */
export async function followRollouts(init: FollowRolloutsInit, signal: AbortSignal): Promise<void> {
  let last: string | undefined;
  while (!signal.aborted) {
    const { trouble, restMs = followPollMs } = await driveOnce(init, signal).catch(
      (error: unknown): Rest => ({
        trouble: `the plan in etcd cannot be read, or not be driven: ${faultFrom(error).message}`,
      }),
    );
    if (signal.aborted) return;
    // Once, and not at each try.
    if (trouble !== undefined && trouble !== last) init.report({ kind: 'trouble', reason: trouble });
    last = trouble;
    await pauseBy(init.timers, restMs, signal);
  }
}

interface Rest {
  /** Why the plan in etcd is not valid; `undefined` for a valid plan, and when etcd has no plan. */
  readonly trouble?: string;
  /** The pause until the next look for a plan, in ms; by default the usual one. */
  readonly restMs?: number;
}

async function driveOnce(init: FollowRolloutsInit, signal: AbortSignal): Promise<Rest> {
  const stored = await init.store.read(signal);
  if (stored === undefined) return {};
  const result = planFromBytes(stored.bytes);
  if (result.kind === 'refused') return { trouble: result.reason };
  if (isSettled(result.plan)) return {};
  await using turn = await init.takeTurn(signal);
  const outcome = await driveRollout(init, turn, signal);
  if (outcome.kind === 'cannot-look') return { restMs: stepBackMs };
  return outcome.kind === 'invalid' ? { trouble: outcome.reason } : {};
}
