import { Fault } from '@nodewright/fault';
import type { BootFiles } from '../loader/boot-files.ts';
import type { BootLoader } from '../loader/boot-loader.ts';
import type { System } from '../loader/boot-state.ts';
import { checkKernel, commandLineBytes, kernelFileBytes, slotSystem } from '../loader/slot-system.ts';
import { rootHashIn } from '../slot/command-line.ts';
import { type Slot, slots } from '../slot/slot.ts';
import { entryName, slotOfEntry, unifiedKernelFolder } from './entry-name.ts';
import { encodeLoaderVariable, type LoaderVariable, parseLoaderVariable } from './loader-variable.ts';
import { headerBytes, unifiedKernelSections } from './unified-kernel.ts';

/** Variables of the firmware, as files of efivarfs. The firmware changes one as a whole. */
export interface LoaderVariableFiles {
  /** The file of the variable; undefined when the firmware does not have it. */
  read(variable: LoaderVariable): Promise<Uint8Array | undefined>;
  /** Written with one call. */
  write(variable: LoaderVariable, file: Uint8Array): Promise<void>;
  /** Does nothing when the firmware does not have the variable. */
  remove(variable: LoaderVariable): Promise<void>;
}

export interface SystemdBootInit {
  /** The partition EFI, with the unified kernels. */
  readonly efi: BootFiles;
  /** The partition BOOT, with the roots. */
  readonly boot: BootFiles;
  readonly variables: LoaderVariableFiles;
}

/** systemd-boot. Only variables of the firmware are ever written. */
export function createSystemdBootLoader({ efi, boot, variables }: SystemdBootInit): BootLoader {
  const stored = async (variable: LoaderVariable) =>
    slotOfEntry(parseLoaderVariable((await variables.read(variable)) ?? new Uint8Array()));

  async function revert(): Promise<void> {
    if ((await variables.read('oneShot')) !== undefined) await variables.remove('oneShot');
  }

  async function requireSystem(slot: Slot): Promise<void> {
    if ((await systemOf(efi, boot, slot)) === undefined)
      throw new Fault('failed-precondition', `slot ${slot} has no system that can be started`);
  }

  return {
    async state() {
      const systems = await Promise.all(slots.map((slot) => systemOf(efi, boot, slot)));
      return {
        entries: systems.filter((system) => system !== undefined),
        default: await stored('default'),
        once: await stored('oneShot'),
      };
    },
    async chooseOnce(slot) {
      await requireSystem(slot);
      await variables.write('oneShot', encodeLoaderVariable(entryName(slot)));
    },
    async confirm(slot) {
      await requireSystem(slot);
      // In this order: a power cut in between leaves the default as it was, and nothing that is started once.
      await revert();
      await variables.write('default', encodeLoaderVariable(entryName(slot)));
    },
    revert,
    async loadForKexec(slot) {
      if ((await systemOf(efi, boot, slot)) === undefined)
        throw new Fault('not-found', `slot ${slot} has no system`);
      const kernel = await readSection(efi, slot, '.linux', kernelFileBytes);
      const initramfs = await readSection(efi, slot, '.initrd', kernelFileBytes);
      await checkKernel(boot, slot, { kernel, initramfs });
      return { kernel, initramfs, commandLine: await commandLineOf(efi, slot) };
    },
  };
}

/** The system of a slot: its root on BOOT, and a unified kernel that starts this root. */
async function systemOf(efi: BootFiles, boot: BootFiles, slot: Slot): Promise<System | undefined> {
  const system = await slotSystem(boot, slot);
  if (system === undefined) return undefined;
  try {
    return rootHashIn(await commandLineOf(efi, slot)) === system.rootHash ? system : undefined;
  } catch (error) {
    if (error instanceof Fault && ['not-found', 'data-loss', 'resource-exhausted'].includes(error.kind))
      return undefined;
    throw error;
  }
}

const commandLineOf = async (efi: BootFiles, slot: Slot) =>
  (await readSection(efi, slot, '.cmdline', commandLineBytes)).toString('latin1').replaceAll('\0', '').trim();

/** @throws Fault `not-found` without the file or the section, `data-loss`, `resource-exhausted` for a section above the limit */
async function readSection(efi: BootFiles, slot: Slot, name: string, limitBytes: number): Promise<Buffer> {
  const path = `${unifiedKernelFolder}/${entryName(slot)}`;
  const head = await efi.read(path, 0, headerBytes);
  const section = head && unifiedKernelSections(head).get(name);
  if (section === undefined) throw new Fault('not-found', `${path} is missing, or has no section ${name}`);
  if (section.bytes > limitBytes)
    throw new Fault('resource-exhausted', `${name} of ${path} has more than ${limitBytes} bytes`);
  const content = await efi.read(path, section.offset, section.bytes);
  if (content?.length !== section.bytes) throw new Fault('data-loss', `${path} is not whole`);
  return content;
}
