import { isInstalled } from '../loader/boot-state.ts';
import { isDefault, knownRecord, type MachineFacts, runningTrial } from './machine-facts.ts';
import { committed } from './plan-start.ts';
import { shortReason } from './upgrade-record.ts';
import { recordStep, type UpgradePlan, type UpgradeStep } from './upgrade-step.ts';

const noTrial = { refusal: 'the running system is not tried' } as const;

/** Keeps the tried system. The first step is what counts: a start after it finds the system confirmed, whether the record says so or not. */
export function planConfirm(facts: MachineFacts): UpgradePlan {
  const trial = runningTrial(facts);
  if (trial === undefined) return noTrial;
  return {
    steps: [
      { kind: 'set default', slot: trial.system.slot },
      recordStep(knownRecord(facts), committed(trial)),
    ],
  };
}

/** Ends a trial from within the tried system. The default is the way back already, so a crash at any moment goes there, too. */
export function planGiveUp(facts: MachineFacts, reason: string): UpgradePlan {
  const trial = runningTrial(facts);
  if (trial === undefined) return noTrial;
  if (!isInstalled(facts.boot, trial.wayBack))
    return { refusal: `slot ${trial.wayBack.slot} does not have the system any more that is the way back` };
  const given = { ...trial, phase: 'given up', reason: shortReason(reason) } as const;
  return {
    steps: [
      ...loaderSteps(facts, trial.wayBack.slot),
      recordStep(knownRecord(facts), { trial: given }),
      { kind: 'restart', by: 'firmware' },
    ],
  };
}

function loaderSteps({ boot }: MachineFacts, slot: 'A' | 'B'): UpgradeStep[] {
  if (boot.default !== slot) return [{ kind: 'set default', slot }];
  return boot.once === undefined ? [] : [{ kind: 'forget once' }];
}

export interface RestartRequest {
  /** Whether the machine may start a kernel without its firmware: never with Secure Boot, or when somebody wants the firmware. */
  readonly canKexec: boolean;
}

/**
 * A restart of the machine. It starts the trial of an upgrade. During a trial it is the way back. A trial by kexec leaves nothing in the
 * boot loader: whatever happens to it, the next start by the firmware has the confirmed system.
 */
export function planRestart(facts: MachineFacts, { canKexec }: RestartRequest): readonly UpgradeStep[] {
  const { running, boot } = facts;
  const { trial } = knownRecord(facts);
  const byFirmware = [{ kind: 'restart', by: 'firmware' }] as const;
  if (runningTrial(facts) !== undefined) {
    const plan = planGiveUp(facts, 'the machine was restarted before it was confirmed');
    return 'steps' in plan ? plan.steps : byFirmware;
  }
  if (!canKexec || !isDefault(facts)) return byFirmware;
  const isArmed = trial?.phase === 'prepared' && boot.once === trial.system.slot;
  return [
    { kind: 'load kernel', slot: isArmed ? trial.system.slot : running.slot },
    ...(boot.once === undefined ? [] : [{ kind: 'forget once' } as const]),
    { kind: 'restart', by: 'kexec' },
  ];
}
