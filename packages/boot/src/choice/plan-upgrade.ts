import { isInstalled, isSameSystem, type System, systemIn } from '../loader/boot-state.ts';
import { otherSlot } from '../slot/slot.ts';
import { defaultSlot, isDefault, knownRecord, type MachineFacts, runningTrial } from './machine-facts.ts';
import { planGiveUp } from './plan-trial.ts';
import { emptyRecord, type OutsideNeed, type StagedUpgrade, type Trial } from './upgrade-record.ts';
import { recordStep, type UpgradePlan, type UpgradeStep } from './upgrade-step.ts';

export interface UpgradeRequest {
  /** Of the new system. */
  readonly rootHash: string;
  /** What the machine lacks before it is upgraded. */
  readonly missingBefore: readonly OutsideNeed[];
}

/**
 * Writes a new system into the other slot, and lets the next start try it. An upgrade that no start has tried yet is replaced. Before the last
 * step, every start has the running system.
 */
export function planUpgrade(facts: MachineFacts, { rootHash, missingBefore }: UpgradeRequest): UpgradePlan {
  const refusal = changeRefusal(facts);
  if (refusal !== undefined) return { refusal };
  const { running } = facts;
  const slot = otherSlot(running.slot);
  const trial: Trial = {
    ...{ system: { slot, rootHash }, wayBack: running, missingBefore },
    ...{ phase: 'prepared', reason: '' },
  };
  const before = { ...emptyRecord, confirmed: running };
  return {
    steps: [
      ...untouched(facts),
      // From now on the other system is no way back, and a loader that loses its choice gets it again from META.
      { kind: 'write record', record: before },
      { kind: 'empty slot', slot },
      { kind: 'fill slot', slot },
      { kind: 'complete slot', slot },
      recordStep(before, { trial }),
      { kind: 'choose once', slot },
    ],
  };
}

/** Lets the next start begin with an upgrade. */
export function planStage(facts: MachineFacts, staged: StagedUpgrade): UpgradePlan {
  const refusal = changeRefusal(facts);
  if (refusal !== undefined) return { refusal };
  return {
    steps: [...untouched(facts), recordStep(knownRecord(facts), { trial: undefined, staged })],
  };
}

/**
 * Goes back to the system that was confirmed before. It is tried as well: when it does not come up, the running system does. During a trial the
 * trial is given up, and an upgrade that no start has tried is cancelled.
 */
export function planRollback(facts: MachineFacts): UpgradePlan {
  const { running, boot } = facts;
  const record = knownRecord(facts);
  if (runningTrial(facts) !== undefined) return planGiveUp(facts, 'somebody asked for the system before it');
  const restart = { kind: 'restart', by: 'firmware' } as const;
  // The next start has the confirmed system anyway.
  if (!isDefault(facts)) return { steps: [restart] };
  if (record.trial !== undefined) return { steps: [...untouched(facts), restart] };
  const system = systemIn(boot, otherSlot(running.slot));
  if (system === undefined) return { refusal: `slot ${otherSlot(running.slot)} has no system` };
  if (facts.record !== 'lost' && !isPrevious(record.previous, system))
    return { refusal: `the system in slot ${system.slot} was never confirmed on this machine` };
  const trial = { system, wayBack: running, phase: 'prepared', reason: '', missingBefore: [] } as const;
  return {
    steps: [
      ...untouched(facts),
      recordStep(emptyRecord, { trial, confirmed: running, previous: record.previous }),
      { kind: 'choose once', slot: system.slot },
      restart,
    ],
  };
}

/** Lets every start have the running system again, when the next one was to try another system. Without such a trial it has no steps. */
export function planDisarm(facts: MachineFacts): UpgradePlan {
  if (runningTrial(facts) !== undefined || !isDefault(facts))
    return { refusal: `slot ${facts.running.slot} runs, which is not the confirmed system` };
  const isArmed = knownRecord(facts).trial !== undefined || facts.boot.once !== undefined;
  return { steps: isArmed ? untouched(facts) : [] };
}

const isPrevious = (previous: System | undefined, system: System) =>
  previous !== undefined && isSameSystem(previous, system);

/** Why the systems of this machine cannot be changed now. */
function changeRefusal(facts: MachineFacts): string | undefined {
  const { running, boot } = facts;
  if (runningTrial(facts) !== undefined)
    return `the system in slot ${running.slot} is not confirmed yet: wait until it is, or roll back`;
  if (!isDefault(facts))
    return `slot ${running.slot} runs, which is not the confirmed system: restart the machine first`;
  if (!isInstalled(boot, running))
    return `the boot entry of the running system in slot ${running.slot} is not complete`;
  return undefined;
}

/** Makes every start one of the running system, before anything else changes. */
function untouched(facts: MachineFacts): UpgradeStep[] {
  const { running, boot } = facts;
  const record = knownRecord(facts);
  return [
    ...(defaultSlot(boot) === undefined
      ? [{ kind: 'set default', slot: running.slot } as const]
      : boot.once === undefined
        ? []
        : [{ kind: 'forget once' } as const]),
    ...(record.trial === undefined ? [] : [recordStep(record, { trial: undefined })]),
  ];
}
