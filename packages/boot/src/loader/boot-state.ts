import type { Slot } from '../slot/slot.ts';

/** A system on a disk. The root hash identifies it: a slot gets another one with each upgrade. */
export interface System {
  readonly slot: Slot;
  /** In hex, of the hash tree of its root file system. */
  readonly rootHash: string;
}

/** What a boot loader starts. */
export interface SlotChoice {
  /** At every start; undefined when nothing is stored: the loader then takes the first or the newest system that it finds. */
  readonly default: Slot | undefined;
  /** At the next start only, in place of the default: the loader forgets it before it starts the slot. */
  readonly once: Slot | undefined;
}

export interface BootState extends SlotChoice {
  /** The systems that are complete on the disk. A slot that is empty, or was written in part, is not listed. */
  readonly entries: readonly System[];
}

export const isSameSystem = (a: System, b: System): boolean => a.slot === b.slot && a.rootHash === b.rootHash;

export const isInstalled = ({ entries }: Pick<BootState, 'entries'>, system: System | undefined): boolean =>
  system !== undefined && entries.some((entry) => isSameSystem(entry, system));

/** The system of a slot; undefined when the slot has none that is complete. */
export const systemIn = ({ entries }: Pick<BootState, 'entries'>, slot: Slot): System | undefined =>
  entries.find((entry) => entry.slot === slot);
