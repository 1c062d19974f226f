import { Fault } from '@nodewright/fault';
import { choiceEnvironment } from '../grub/choice-variables.ts';
import { encodeEnvironmentBlock } from '../grub/environment-block.ts';
import { genericMenu, readsEnvironment } from '../grub/generic-menu.ts';
import { grubFiles } from '../grub/grub-boot-loader.ts';
import { type Menu, parseGrubMenu } from '../grub/menu.ts';
import { slotEntry } from '../grub/slot-entry.ts';
import { slotFiles } from '../slot/slot-files.ts';
import type { LoaderPlan, LoaderStep } from './loader-step.ts';

const names = { next: `${grubFiles.menu}.new`, before: `${grubFiles.menu}.old` } as const;

/**
 * Replaces a menu of GRUB with entries in it by the one that is the same on every disk. It needs a core image with `loadenv`, see
 * `planCore()`. What the new menu reads is where GRUB reads it before the menu gets its name; the old menu keeps a second name, because
 * GRUB could read an inode that is free already by a name that is not changed yet.
 *
 * @param menu the text of the file
 */
export function planMenu(menu: string): LoaderPlan {
  if (readsEnvironment(menu)) return { steps: [] };
  let old: Menu;
  try {
    old = parseGrubMenu(menu);
  } catch (error) {
    if (error instanceof Fault) return { refusal: error.message };
    throw error;
  }
  const [first] = old.entries;
  if (first === undefined) return { refusal: 'the menu of GRUB has no entry' };
  const write = (path: string, bytes: Buffer): LoaderStep => ({
    ...{ kind: 'write file', partition: 'BOOT', path, bytes },
  });
  return {
    steps: [
      ...old.entries.flatMap((entry) => [
        write(`${entry.slot}/${slotFiles.commandLine}`, Buffer.from(`${entry.commandLine}\n`)),
        write(`${entry.slot}/${slotFiles.entry}`, Buffer.from(slotEntry(entry))),
      ]),
      write(
        grubFiles.environment,
        encodeEnvironmentBlock(choiceEnvironment({ default: first.slot, once: undefined })),
      ),
      write(names.next, Buffer.from(genericMenu())),
      { kind: 'link file', from: grubFiles.menu, path: names.before },
      { kind: 'empty journal' },
      { kind: 'replace file', partition: 'BOOT', from: names.next, path: grubFiles.menu },
      { kind: 'empty journal' },
    ],
  };
}
