import type { Slot } from '../slot/slot.ts';
import type { UpgradeRecord } from './upgrade-record.ts';

/**
 * One change. The disk has a change completely before the next one begins. A plan that was interrupted is not continued: the next
 * start of the machine plans anew, from what it finds.
 */
export type UpgradeStep =
  /** The slot is no boot entry any more; then its files are removed. */
  | { readonly kind: 'empty slot'; readonly slot: Slot }
  /** Writes the files of a system, syncs them, and compares what it reads back. They are no boot entry yet. A failure is followed by `empty slot`. */
  | { readonly kind: 'fill slot'; readonly slot: Slot }
  /** Makes the files a boot entry, by one rename. */
  | { readonly kind: 'complete slot'; readonly slot: Slot }
  /** Replaces the record in META. */
  | { readonly kind: 'write record'; readonly record: UpgradeRecord }
  | { readonly kind: 'choose once'; readonly slot: Slot }
  /** The loader forgets what it would start once. */
  | { readonly kind: 'forget once' }
  /** The loader starts this slot from now on, and forgets what it would start once. */
  | { readonly kind: 'set default'; readonly slot: Slot }
  /** Loads the kernel of the slot; it is gone after any restart. */
  | { readonly kind: 'load kernel'; readonly slot: Slot }
  /** `kexec` starts the kernel that was loaded; the firmware starts what the loader chooses. */
  | { readonly kind: 'restart'; readonly by: 'firmware' | 'kexec' };

/** A refusal changes nothing. */
export type UpgradePlan =
  | { readonly steps: readonly UpgradeStep[] }
  /** Why, as the end of a sentence. */
  | { readonly refusal: string };

/** The step that changes a part of the record. */
export const recordStep = (record: UpgradeRecord, change: Partial<UpgradeRecord>): UpgradeStep => ({
  kind: 'write record',
  record: { ...record, ...change },
});
