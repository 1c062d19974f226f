import type { SlotChoice } from '../loader/boot-state.ts';
import { isSlot } from '../slot/slot.ts';
import type { Environment } from './environment-block.ts';

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
export const choiceEnvironment = (choice: SlotChoice): Environment =>
  new Map([
    [names.default, choice.default ?? ''],
    [names.once, choice.once ?? ''],
  ]);
