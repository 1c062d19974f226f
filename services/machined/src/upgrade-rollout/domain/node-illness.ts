import type { MachineStatusSpec, UpgradeStatusSpec } from '@nodewright/state/kinds';
import type { PlanState } from '../../upgrade-plan/upgrade-plan-topic.ts';

export interface IllnessFacts {
  readonly machine: MachineStatusSpec | undefined;
  readonly status: UpgradeStatusSpec | undefined;
  readonly state: PlanState;
  /** Whether anything upgrades this node, also before its plan begins. */
  readonly isUpgrading: boolean;
}

/**
 * Why this node is not well, for those who want to make another one unavailable; undefined when it is. It is what the plan of a node goes
 * by at its end: the node is ready, no system is tried, and no upgrade of it runs.
 */
export function nodeIllness({ machine, status, state, isUpgrading }: IllnessFacts): string | undefined {
  const { plan } = state;
  if (plan === 'unknown') return 'its disk is not mounted yet';
  if (plan?.phase === 'running') return `its upgrade is at the step ${plan.step}`;
  if (isUpgrading) return 'another upgrade of it runs';
  if (machine === undefined || machine.stage !== 'running') return `it is ${machine?.stage ?? 'starting'}`;
  if (!machine.status.ready) {
    const [first] = machine.status.unmetConditions;
    return first === undefined ? 'it is not ready' : `it is not ready: ${first.name}: ${first.reason}`;
  }
  return status?.mode === 'trial' ? 'it tries a new system' : undefined;
}
