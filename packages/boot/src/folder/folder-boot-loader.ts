import { Fault } from '@nodewright/fault';
import type { BootFiles } from '../loader/boot-files.ts';
import type { BootLoader } from '../loader/boot-loader.ts';
import { type SlotChoice, systemIn } from '../loader/boot-state.ts';
import { type Slot, slots } from '../slot/slot.ts';
import { slotFiles } from '../slot/slot-files.ts';
import {
  encodeSlotChoice,
  type SlotFolderForm,
  slotFolderFiles,
  slotFolderState,
  stateFiles,
} from './slot-folder.ts';

/** The folder with the systems of a node of processes. */
export interface SlotFolderFiles extends BootFiles {
  /** Replaces a file as a whole: a crash leaves the old or the new one. The disk has it when the promise is fulfilled. */
  replace(path: string, bytes: Uint8Array): Promise<void>;
}

/** The choice in the folder of a node of processes, which its supervisor follows. Only the file with the choice is ever written. */
export function createFolderBootLoader(files: SlotFolderFiles, form?: SlotFolderForm): BootLoader {
  async function read() {
    const contents = new Map<string, Buffer>();
    for (const [path, limit] of Object.entries(stateFiles)) {
      const content = await files.read(path, 0, limit + 1);
      if (content !== undefined) contents.set(path, content);
    }
    return contents;
  }
  const state = async () => slotFolderState(await read(), form);
  async function store(choice: SlotChoice) {
    const contents = form?.describe && (await read());
    const lists = slots.flatMap((slot) => {
      const list = contents?.get(`${slot}/${slotFiles.digests}`);
      return list === undefined ? [] : [[slot, list.toString('latin1')]];
    });
    const more = form?.describe?.(Object.fromEntries(lists));
    await files.replace(slotFolderFiles.choice, encodeSlotChoice(choice, more));
  }
  async function stateWith(slot: Slot) {
    const found = await state();
    if (systemIn(found, slot) === undefined)
      throw new Fault('failed-precondition', `slot ${slot} has no system that can be started`);
    return found;
  }
  return {
    state,
    async chooseOnce(slot) {
      const found = await stateWith(slot);
      await store({ default: found.default, once: slot });
    },
    async confirm(slot) {
      await stateWith(slot);
      await store({ default: slot, once: undefined });
    },
    async revert() {
      const found = await state();
      if (found.once !== undefined) await store({ default: found.default, once: undefined });
    },
    async loadForKexec() {
      throw new Fault('failed-precondition', 'a node of processes has no kernel of its own');
    },
  };
}
