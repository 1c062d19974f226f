import type { Slot } from '../slot/slot.ts';
import type { BootState } from './boot-state.ts';

/** A kernel that can be started without the firmware, compared with the digests that the slot has. */
export interface LoadedKernel {
  readonly kernel: Buffer;
  readonly initramfs: Buffer;
  readonly commandLine: string;
}

/**
 * The choice of a boot loader. Each change is on the disk, or in the firmware, when its promise is fulfilled. A power cut in between leaves
 * the choice before it, or the one after it, or the default before it without a slot to start once. No change touches the menu, or a file
 * of a slot. One change may be in progress at a time.
 */
export interface BootLoader {
  /** What is installed, and what the loader starts. @throws Fault `data-loss` for a menu that this package did not write */
  state(): Promise<BootState>;
  /** The next start has this slot, and the ones after it the default. @throws Fault `failed-precondition` for a slot without a system */
  chooseOnce(slot: Slot): Promise<void>;
  /** Every start has this slot, and none is started once. @throws as `chooseOnce()` */
  confirm(slot: Slot): Promise<void>;
  /** None is started once: the next start has the default. */
  revert(): Promise<void>;
  /** Reads what the slot starts. @throws Fault `not-found` for a slot without a system, `data-loss` when a file differs from its digest */
  loadForKexec(slot: Slot): Promise<LoadedKernel>;
}
