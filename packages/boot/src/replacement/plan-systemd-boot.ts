import { Fault } from '@nodewright/fault';
import { slotIn } from '../slot/command-line.ts';
import { entryName, unifiedKernelFolder } from '../systemd-boot/entry-name.ts';
import { loaderConfiguration, loaderFiles } from '../systemd-boot/loader-configuration.ts';
import { type Section, unifiedKernelSections } from '../systemd-boot/unified-kernel.ts';
import type { LoaderPlan } from './loader-step.ts';

/** Below the folder of the program that firmware starts by default. */
const folder = 'EFI/BOOT';
/** A power cut may leave a file under such a name, so there are several. */
const mostNames = 10;

export interface FirmwareProgramFacts {
  /** The name of the program that firmware starts by default, such as `BOOTX64.EFI`. */
  readonly name: string;
  /** The first `headerBytes` of that program. */
  readonly head: Buffer;
  /** The command line in it, if it is a unified kernel. */
  readonly commandLine: string | undefined;
  /** All names in its folder, in capitals. */
  readonly names: readonly string[];
  /** systemd-boot, from the artefact. */
  readonly loader: Buffer;
}

/**
 * Puts systemd-boot in the place of a unified kernel that firmware starts by itself, as disks of earlier versions have it. The kernel gets an
 * entry, which is the default, before the program is replaced: whatever happens, each start has the same system.
 *
 * FAT has no journal. A power cut while a file is renamed may leave both names for the same bytes. So no file of an earlier attempt is removed
 * or written again: its bytes could be those of the program that starts the machine.
 */
export function planSystemdBoot({
  name,
  head,
  commandLine,
  names,
  loader,
}: FirmwareProgramFacts): LoaderPlan {
  const sections = sectionsOf(head);
  if (sections === undefined) return { refusal: `${folder}/${name} is no program for UEFI` };
  if (!sections.has('.linux'))
    return sections.has('.sdmagic')
      ? { steps: [] }
      : { refusal: `${folder}/${name} is neither systemd-boot nor a unified kernel` };
  if (commandLine === undefined) return { refusal: `${folder}/${name} has no command line` };
  const next = Array.from({ length: mostNames }, (_, index) => `LOADER${index}.EFI`).find(
    (one) => !names.includes(one),
  );
  if (next === undefined)
    return { refusal: `${folder} has ${mostNames} files of earlier attempts to replace the boot loader` };
  const slot = slotIn(commandLine);
  const partition = 'EFI';
  return {
    steps: [
      {
        ...{ kind: 'copy file', partition, from: `${folder}/${name}` },
        path: `${unifiedKernelFolder}/${entryName(slot)}`,
      },
      {
        ...{ kind: 'write file', partition, path: loaderFiles.configuration },
        bytes: Buffer.from(loaderConfiguration()),
      },
      { kind: 'set default', slot },
      { kind: 'write file', partition, path: `${folder}/${next}`, bytes: loader },
      { kind: 'replace file', partition, from: `${folder}/${next}`, path: `${folder}/${name}` },
    ],
  };
}

function sectionsOf(head: Buffer): ReadonlyMap<string, Section> | undefined {
  try {
    return unifiedKernelSections(head);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
