import { type BootState, isInstalled, isSameSystem, type System, systemIn } from '../loader/boot-state.ts';
import type { Slot } from '../slot/slot.ts';
import { emptyRecord, type Trial, type UpgradeRecord } from './upgrade-record.ts';

/** How a start ends that somebody has asked to end, as `lastEnd` says it. */
export const plannedEnds = { reboot: 'reboot', powerOff: 'power off' } as const;

/** Everything that decides what becomes of the systems of a machine. */
export interface MachineFacts {
  /** The system that runs, by its command line. */
  readonly running: System;
  readonly boot: BootState;
  /** `lost` when META is damaged, or has a record that is not understood. */
  readonly record: UpgradeRecord | 'lost';
  /** How the start before this one ended, such as `exit code 1`, where something outlives the system and knows. */
  readonly lastEnd?: string;
}

/** A lost record is replaced by an empty one when something has to be recorded. */
export const knownRecord = ({ record }: Pick<MachineFacts, 'record'>): UpgradeRecord =>
  record === 'lost' ? emptyRecord : record;

/** The stored default. One that names a slot without a system counts as none. */
export const defaultSlot = (boot: BootState): Slot | undefined =>
  boot.default !== undefined && systemIn(boot, boot.default) !== undefined ? boot.default : undefined;

/** Whether every start has the running system, as far as that is stored. */
export function isDefault({ running, boot }: Pick<MachineFacts, 'running' | 'boot'>): boolean {
  const slot = defaultSlot(boot);
  return slot === undefined || slot === running.slot;
}

/** The trial of the running system; undefined when it is not on trial, or its trial has ended. */
export function runningTrial(facts: MachineFacts): Trial | undefined {
  const { trial } = knownRecord(facts);
  const isTried =
    trial !== undefined && trial.phase !== 'given up' && isSameSystem(trial.system, facts.running);
  return isTried && !isCommitted(facts.boot, trial) ? trial : undefined;
}

/** The default is the tried system: this is what confirms it, and the record follows. */
export const isCommitted = (boot: BootState, { system }: Trial): boolean =>
  defaultSlot(boot) === system.slot && isInstalled(boot, system);
