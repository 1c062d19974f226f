// What GRUB of a BIOS starts from a disk, by the files that GRUB's own programs read from it: they do not replay a journal. The decisions are
// those of `genericMenu()`.
import { createHash } from 'node:crypto';
import {
  otherSlot,
  parseEnvironmentBlock,
  type Slot,
  type SlotChoice,
  slotChoiceIn,
  slotFiles,
} from '@nodewright/boot';

/** Reads a file of BOOT; undefined when it is not there. @throws Error when the file system cannot be read */
export type ReadFile = (path: string) => Buffer | undefined;

export interface GrubStart {
  readonly choice: SlotChoice;
  /** The slot whose kernel is started; undefined when GRUB starts none. */
  readonly slot: Slot | undefined;
  readonly commandLine: string;
  readonly kernel: Buffer;
  readonly initramfs: Buffer;
}

const none = Buffer.alloc(0);

export function readAsGrub(read: ReadFile): GrubStart {
  const choice = slotChoiceIn(parseEnvironmentBlock(read('grub/grubenv') ?? none));
  const byDefault = choice.default === 'B' ? 'B' : 'A';
  const wanted = choice.once ?? byDefault;
  for (const slot of [wanted, otherSlot(wanted)]) {
    const started = startOf(slot, read);
    if (started !== undefined) return { choice, slot, ...started };
  }
  return { choice, slot: undefined, commandLine: '', kernel: none, initramfs: none };
}

/** What the entry of a slot starts; undefined when the menu has no such entry, or the entry refuses its files. */
function startOf(
  slot: Slot,
  read: ReadFile,
): Pick<GrubStart, 'commandLine' | 'kernel' | 'initramfs'> | undefined {
  const inSlot = (name: string) => read(`${slot}/${name}`);
  const list = inSlot(slotFiles.digests);
  const entry = inSlot(slotFiles.entry)?.toString('latin1');
  if (list === undefined || entry?.includes(`\nset complete=${slot}\n`) !== true) return undefined;
  const [, commandLine] = new RegExp(`^    linux /${slot}/${slotFiles.kernel} (.*)$`, 'm').exec(entry) ?? [];
  const [kernel, initramfs] = [inSlot(slotFiles.kernel) ?? none, inSlot(slotFiles.initramfs) ?? none];
  const listed = list.toString('latin1').split('\n');
  const isListed = (name: string, content: Buffer) =>
    listed.includes(`${createHash('sha256').update(content).digest('hex')}  ${name}`);
  const isSame = isListed(slotFiles.kernel, kernel) && isListed(slotFiles.initramfs, initramfs);
  return commandLine !== undefined && isSame ? { commandLine, kernel, initramfs } : undefined;
}
