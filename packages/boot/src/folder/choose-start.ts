import { type BootState, type SlotChoice, systemIn } from '../loader/boot-state.ts';
import { otherSlot, type Slot } from '../slot/slot.ts';

/** What a node of processes is started with. */
export interface FolderStart {
  /** Undefined: the programs that the cluster was created with. A node that was never upgraded has no slots. */
  readonly slot: Slot | undefined;
  /** It is started once, so whether it works is to be watched. */
  readonly isTried: boolean;
  /** The choice to be stored before anything of the slot runs; undefined when the stored one stays. */
  readonly store: SlotChoice | undefined;
}

/**
 * Decides what a start of the node has. What is chosen once is forgotten before it is started, whether it can be started or not: whatever
 * becomes of it, the start after it has the default. So a supervisor that is killed at any moment starts what this function says of the
 * files that are there.
 */
export function chooseStart(state: BootState): FolderStart {
  const { once } = state;
  const has = (slot: Slot | undefined) => slot !== undefined && systemIn(state, slot) !== undefined;
  const store = once === undefined ? undefined : { default: state.default, once: undefined };
  if (has(once)) return { slot: once, isTried: true, store };
  const first = state.default ?? 'A';
  // A loader whose choice is lost, or whose default is damaged, takes what can be started.
  const slot = [first, otherSlot(first)].find(has);
  return { slot, isTried: false, store };
}
