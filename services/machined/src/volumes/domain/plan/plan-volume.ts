import { locateVolume } from './locate.ts';
import { planMount } from './mount.ts';
import { planProvision } from './provision.ts';
import type { PhasePlanner, PlannedVolume, VolumeFacts, VolumePhaseName, VolumePlan } from './volume-plan.ts';
import { planWait } from './wait.ts';

/** The phases of the way to the mount, after `locate`. A phase without a planner is complete: nothing is encrypted yet. */
const forward = {
  wait: planWait,
  provision: planProvision,
  unlock: undefined,
  mount: planMount,
} as const satisfies Partial<Record<VolumePhaseName, PhasePlanner | undefined>>;

/**
 * What is to be done for a volume that is wanted. A pure function: the same facts give the same plan. After its steps the next plan has
 * none, or continues; a plan that was interrupted anywhere is continued by the next one, from what is there then. The way back is in
 * planWayBack().
 */
export function planVolume(volume: PlannedVolume, facts: VolumeFacts): VolumePlan {
  const located = locateVolume(volume, facts);
  for (const planPhase of Object.values(forward)) {
    const plan = planPhase?.(volume, facts, located);
    if (plan !== undefined) return plan;
  }
  return { phase: 'mount', steps: [] };
}
