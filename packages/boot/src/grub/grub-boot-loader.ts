import { Fault } from '@nodewright/fault';
import type { GrubFiles } from '../loader/boot-files.ts';
import type { BootLoader } from '../loader/boot-loader.ts';
import type { BootState, SlotChoice } from '../loader/boot-state.ts';
import {
  checkKernel,
  commandLineBytes,
  kernelFileBytes,
  readWhole,
  slotSystem,
} from '../loader/slot-system.ts';
import { type Slot, slots } from '../slot/slot.ts';
import { slotFiles } from '../slot/slot-files.ts';
import { choiceEnvironment, slotChoiceIn } from './choice-variables.ts';
import { encodeEnvironmentBlock, environmentBlockBytes, parseEnvironmentBlock } from './environment-block.ts';
import { readsEnvironment } from './generic-menu.ts';
import { menuBytes, parseGrubMenu } from './menu.ts';

/** On BOOT. */
export const grubFiles = { menu: 'grub/grub.cfg', environment: 'grub/grubenv' } as const;

/**
 * GRUB, on the partition BOOT. Only the environment block is ever written: never the menu, nor a file of a slot. A menu that does not read the
 * environment block, as disks of earlier versions have it, starts its first entry; its choice cannot be changed.
 */
export function createGrubBootLoader(files: GrubFiles): BootLoader {
  const readMenu = async () => (await readWhole(files, grubFiles.menu, menuBytes)).toString('latin1');

  async function readChoice(): Promise<SlotChoice> {
    if (!readsEnvironment(await readMenu())) return { default: undefined, once: undefined };
    const block = await files.read(grubFiles.environment, 0, environmentBlockBytes + 1);
    return slotChoiceIn(parseEnvironmentBlock(block ?? Buffer.alloc(0)));
  }

  async function writeChoice(choice: SlotChoice): Promise<void> {
    if (!readsEnvironment(await readMenu()))
      throw new Fault('failed-precondition', 'the menu of GRUB does not read its environment block');
    const block = await files.read(grubFiles.environment, 0, environmentBlockBytes + 1);
    // GRUB could not use a block that it has to make longer, and a machine must not make one while the menu counts on it.
    if (block?.length !== environmentBlockBytes)
      throw new Fault(
        'failed-precondition',
        `${grubFiles.environment} does not have ${environmentBlockBytes} bytes`,
      );
    await files.overwrite(grubFiles.environment, encodeEnvironmentBlock(choiceEnvironment(choice)));
  }

  async function requireSystem(slot: Slot): Promise<void> {
    if ((await slotSystem(files, slot)) === undefined)
      throw new Fault('failed-precondition', `slot ${slot} has no system that can be started`);
  }

  return {
    async state(): Promise<BootState> {
      const systems = await Promise.all(slots.map((slot) => slotSystem(files, slot)));
      return { ...(await readChoice()), entries: systems.filter((system) => system !== undefined) };
    },
    async chooseOnce(slot) {
      await requireSystem(slot);
      await writeChoice({ ...(await readChoice()), once: slot });
    },
    async confirm(slot) {
      await requireSystem(slot);
      await writeChoice({ default: slot, once: undefined });
    },
    async revert() {
      const choice = await readChoice();
      if (choice.once !== undefined) await writeChoice({ ...choice, once: undefined });
    },
    async loadForKexec(slot) {
      if ((await slotSystem(files, slot)) === undefined)
        throw new Fault('not-found', `slot ${slot} has no system`);
      const kernel = await readWhole(files, `${slot}/${slotFiles.kernel}`, kernelFileBytes);
      const initramfs = await readWhole(files, `${slot}/${slotFiles.initramfs}`, kernelFileBytes);
      await checkKernel(files, slot, { kernel, initramfs });
      return { kernel, initramfs, commandLine: await commandLineOf(files, slot, readMenu) };
    },
  };
}

/** From the file of the slot; a disk of an earlier version has it in its menu only. */
async function commandLineOf(files: GrubFiles, slot: Slot, readMenu: () => Promise<string>): Promise<string> {
  const own = await files.read(`${slot}/${slotFiles.commandLine}`, 0, commandLineBytes + 1);
  if (own !== undefined && own.length <= commandLineBytes) return own.toString('latin1').trimEnd();
  const entry = parseGrubMenu(await readMenu()).entries.find((one) => one.slot === slot);
  if (entry === undefined) throw new Fault('not-found', `the menu of GRUB has no slot ${slot}`);
  return entry.commandLine;
}
