import { isInstalled, isSameSystem, type System, systemIn } from '../loader/boot-state.ts';
import { otherSlot, type Slot } from '../slot/slot.ts';
import { defaultSlot, isCommitted, knownRecord, type MachineFacts, plannedEnds } from './machine-facts.ts';
import { type StagedUpgrade, shortReason, type Trial, type UpgradeRecord } from './upgrade-record.ts';
import { recordStep, type UpgradeStep } from './upgrade-step.ts';

export interface MachineStart {
  /**
   * `confirmed`: the system that every start has. `trial`: one that is watched until it is confirmed or given up. `by hand`: another one,
   * which somebody chose in a menu; the next start has the confirmed system again.
   */
  readonly mode: 'confirmed' | 'trial' | 'by hand';
  readonly steps: readonly UpgradeStep[];
  /** What people should know, as sentences without a full stop. */
  readonly notices: readonly string[];
  /** The upgrade to begin with. The steps remove it from META before, so that an upgrade that fails is not begun at each start. */
  readonly staged: StagedUpgrade | undefined;
}

/**
 * Decides what this start of the machine is, and what is to be put in order after what came before: a trial that ended, a choice that was
 * lost, a crash between two writes. A second plan for the result has no steps.
 */
export function planStart(facts: MachineFacts): MachineStart {
  const { running, boot } = facts;
  const record = knownRecord(facts);
  const outcome = record.trial === undefined ? undefined : outcomeOf(record.trial, facts);
  const next: UpgradeRecord = { ...record, ...outcome?.change, staged: undefined };
  const restored = restoredDefault(next, facts);
  const byDefault = restored ?? defaultSlot(boot) ?? running.slot;
  const mode = outcome?.kind === 'goes on' ? 'trial' : byDefault === running.slot ? 'confirmed' : 'by hand';
  // An upgrade that was staged before a trial has been replaced by it.
  const begins = mode === 'confirmed' && record.trial === undefined;
  const useless = mode === 'confirmed' ? uselessSystem(next, facts) : undefined;
  const steps: UpgradeStep[] = [
    ...(restored === undefined ? [] : [{ kind: 'set default', slot: restored } as const]),
    ...(boot.once !== undefined && restored === undefined ? [{ kind: 'forget once' } as const] : []),
    ...(isChanged(record, next) ? [recordStep(next, {})] : []),
    ...(useless === undefined ? [] : [{ kind: 'empty slot', slot: useless.slot } as const]),
    ...(outcome?.kind === 'given up' ? [{ kind: 'restart', by: 'firmware' } as const] : []),
  ];
  const notices = [
    ...(facts.record === 'lost' ? ['META does not say what was upgraded last'] : []),
    ...(restored === undefined ? [] : [`the boot loader had lost its choice, which is slot ${restored} now`]),
    ...(outcome?.notice ?? []),
    ...(mode === 'by hand' ? [`slot ${running.slot} runs, and the next start has slot ${byDefault}`] : []),
    ...(record.staged === undefined || begins ? [] : [dropped(record.staged)]),
  ];
  return { mode, steps, notices, staged: begins ? record.staged : undefined };
}

const dropped = ({ image }: StagedUpgrade) =>
  `the staged upgrade to ${image} is dropped: this start is not one of the confirmed system`;

/**
 * The default that has to be stored because the one that was there is lost; undefined when there is nothing to do, or nothing known.
 *
 * @param next the record after this start
 */
function restoredDefault(next: UpgradeRecord, facts: MachineFacts): Slot | undefined {
  const { running, boot } = facts;
  if (defaultSlot(boot) !== undefined) return undefined;
  const systems = [next.trial?.wayBack, next.confirmed, knownRecord(facts).trial?.wayBack];
  const known = systems.find((system) => isInstalled(boot, system));
  // A default without a system is worse than none: it is replaced by what runs.
  const usable = boot.default !== undefined && isInstalled(boot, running) ? running : undefined;
  return (known ?? usable)?.slot;
}

/**
 * The other system, if it is known to be no way back: it failed its trial, or the upgrade that wrote it was interrupted. It is removed,
 * because a loader that loses its choice could start it, and nothing else ever would.
 */
function uselessSystem(next: UpgradeRecord, { running, boot }: MachineFacts): System | undefined {
  const { trial, failed, previous, confirmed } = next;
  const other = systemIn(boot, otherSlot(running.slot));
  if (trial !== undefined || other === undefined) return undefined;
  const is = (system: System | undefined) => system !== undefined && isSameSystem(system, other);
  return !is(previous) && (is(failed?.system) || confirmed !== undefined) ? other : undefined;
}

interface Outcome {
  readonly kind: 'goes on' | 'given up' | 'ended';
  readonly change: Partial<UpgradeRecord>;
  readonly notice: readonly string[];
}

function outcomeOf(trial: Trial, { running, boot, lastEnd }: MachineFacts): Outcome {
  const isTried = isSameSystem(trial.system, running);
  // The power failed after the default was changed, and before the record was.
  if (isCommitted(boot, trial)) return { kind: 'ended', change: committed(trial), notice: [] };
  if (isTried && !isInstalled(boot, trial.wayBack)) {
    const notice = [`slot ${trial.wayBack.slot} has no system to go back to: slot ${running.slot} stays`];
    return { kind: 'ended', change: { ...committed(trial), previous: undefined }, notice };
  }
  if (isTried && trial.phase === 'given up')
    return { kind: 'given up', change: {}, notice: [`slot ${running.slot} was given up: ${trial.reason}`] };
  if (isTried) {
    const notice = [`slot ${running.slot} is tried: it is not confirmed yet`];
    return { kind: 'goes on', change: { trial: { ...trial, phase: 'running' } }, notice };
  }
  const reason = reasonOf(trial, boot.once === trial.system.slot, lastEnd);
  return {
    kind: 'ended',
    change: { trial: undefined, failed: { system: trial.system, reason } },
    notice: [`the system in slot ${trial.system.slot} was tried and is not in use: ${reason}`],
  };
}

/** The record when the tried system is confirmed. */
export const committed = ({ system, wayBack }: Trial): Partial<UpgradeRecord> => ({
  ...{ trial: undefined, confirmed: system, previous: wayBack, failed: undefined },
});

function reasonOf({ phase, reason }: Trial, isChosen: boolean, lastEnd: string | undefined): string {
  if (phase === 'given up') return reason;
  // The confirmed system may have ended like this before the other one failed to start, or the other one because it could not read its slots.
  const saysWhy = lastEnd !== undefined && (phase === 'running' || !isPlanned(lastEnd));
  if (saysWhy && !isChosen) return shortReason(`it ended before it was confirmed: ${lastEnd}`);
  if (phase === 'running')
    return 'it stopped before it was confirmed: a crash, a hang that the watchdog ended, or a restart';
  return isChosen
    ? 'the boot loader did not start it'
    : 'it was not started, or it stopped before its machined ran';
}

const isPlanned = (end: string) => Object.values<string>(plannedEnds).includes(end);

const isChanged = (before: UpgradeRecord, next: UpgradeRecord) =>
  JSON.stringify(before) !== JSON.stringify(next);
