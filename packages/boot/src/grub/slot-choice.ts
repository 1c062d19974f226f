import { isSlot, type Slot } from '../slot/slot.ts';
import type { Environment } from './environment-block.ts';

/** What a boot loader starts. */
export interface SlotChoice {
  /** At every start; undefined when nothing is stored. */
  readonly default: Slot | undefined;
  /** At the next start only, in place of the default: the loader forgets it before it starts the slot. */
  readonly once: Slot | undefined;
}

/** The names that menus of GRUB usually have for these variables. Source: GRUB 2.12, environment block. */
const names = { default: 'saved_entry', once: 'next_entry' } as const;

/** The choice in the variables of GRUB. Other values than a slot count as none: so does an empty one, which GRUB writes when it has used it. */
export function slotChoiceIn(environment: Environment): SlotChoice {
  const read = (name: string) => {
    const value = environment.get(name) ?? '';
    return isSlot(value) ? value : undefined;
  };
  return { default: read(names.default), once: read(names.once) };
}

/** The variables of GRUB for a choice. */
export function choiceEnvironment(choice: SlotChoice): Environment {
  const entries = Object.entries(names).map(
    ([key, name]) => [name, choice[key as keyof SlotChoice] ?? ''] as const,
  );
  return new Map(entries);
}
