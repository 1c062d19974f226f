import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, text } from '../../spec/field-types.ts';

/** The systems in the two slots of a machine, and what becomes of them. Our own: Talos has one resource for its boot entry only. */
export const upgradeStatuses = defineKind({
  type: 'UpgradeStatuses.nodewright.dev',
  defaultNamespace: 'runtime',
  singleton: 'upgrade',
  printColumns: {
    Slot: '{.slot}',
    Mode: '{.mode}',
    Trial: '{.trial}',
    Reason: '{.reason}',
  },
  spec: {
    /** The slot that runs: `A` or `B`. */
    slot: field(1, text),
    /** `confirmed`, `trial` or `by hand`; empty while the boot loader has not been read. */
    mode: field(2, text),
    /** The slot that is tried, now or at the next start; empty without one. */
    trial: field(3, text),
    /** Why the trial is not confirmed yet, why the last one failed, or why the slots cannot be read; empty otherwise. */
    reason: field(4, text),
    /** The slot of the system that a rollback goes to; empty without one. */
    previous: field(5, text),
    /** The slot whose system failed its trial last; empty without one. */
    failed: field(6, text),
    /** The image of the upgrade that the next start begins with; empty without one. */
    staged: field(7, text),
    /** Whether the limit of the trial does not run: what the machine lacks was missing before, and others have to give it. */
    paused: field(8, bool),
  },
});
export type UpgradeStatusSpec = SpecOf<typeof upgradeStatuses>;
