import { genericMenu, loaderConfiguration, slotEntry } from '@nodewright/boot';
import type { SecureBootKey } from '@nodewright/build/keys';
import { buildInfo } from '@nodewright/contract';
import type { GrubImage } from '../disk/grub-image.ts';
import { settingsFiles } from '../image/settings-files.ts';
import { unifiedKernel } from '../image/unified-kernel.ts';
import { signProgram } from '../secure-boot/authenticode.ts';

export interface MachineFilesInit {
  readonly kernel: Buffer;
  readonly initramfs: Buffer;
  /** `6.12.57+deb13-cloud-amd64` */
  readonly kernelRelease: string;
  readonly squashfs: Buffer;
  readonly hashTree: Buffer;
  /** Of the image, for slot A. */
  readonly commandLine: string;
  /** systemd's stub for this architecture. */
  readonly stub: Buffer;
  /** systemd-boot for this architecture, without a signature. */
  readonly loader: Buffer;
  /** Undefined for machines that have no BIOS. */
  readonly grub: GrubImage | undefined;
  readonly signer: SecureBootKey;
  /** Default: that of this build. */
  readonly tag?: string | undefined;
}

/**
 * The files with which a machine starts from either slot, and the boot loaders, by their paths in the artefact.
 *
 * @throws Error when the command line is not one of slot A
 */
export function machineFiles(init: MachineFilesInit): Readonly<Record<string, Buffer>> {
  const { kernel, initramfs, kernelRelease, squashfs, hashTree, stub, loader, signer } = init;
  const { tag = buildInfo.tag } = init;
  const osRelease = settingsFiles({ tag }, '')['etc/os-release'] ?? '';
  const slots = (['A', 'B'] as const).map((slot) => {
    const commandLine = lineOfSlot(init.commandLine, slot);
    const unified = unifiedKernel(stub, { osRelease, commandLine, kernelRelease, kernel, initramfs });
    return [
      [`machine/${slot}/cmdline`, Buffer.from(`${commandLine}\n`)],
      [`machine/${slot}/entry.cfg`, Buffer.from(slotEntry({ slot, tag, commandLine }))],
      [`machine/${slot}/nodewright.efi`, signProgram(unified, signer.key, signer.certificate)],
    ] as const;
  });
  // The texts come first: an upgrade reads the command line before it writes anything.
  const files = slots.flat();
  const texts = files.filter(([path]) => !path.endsWith('.efi'));
  return {
    ...Object.fromEntries(texts),
    'machine/vmlinuz': kernel,
    'machine/initramfs': initramfs,
    'machine/rootfs.squashfs': squashfs,
    'machine/rootfs.verity': hashTree,
    ...Object.fromEntries(files),
    'machine/loader/systemd-boot.efi': signProgram(loader, signer.key, signer.certificate),
    'machine/loader/loader.conf': Buffer.from(loaderConfiguration()),
    ...grubFilesOf(init.grub),
  };
}

/** The boot code and the core image are for the place that the core image has on a disk image. */
const grubFilesOf = (grub: GrubImage | undefined): Readonly<Record<string, Buffer>> =>
  grub === undefined
    ? {}
    : {
        'machine/loader/grub/boot-code': grub.bootCode,
        'machine/loader/grub/core': grub.core,
        'machine/loader/grub/grub.cfg': Buffer.from(genericMenu()),
      };

/** The command line with another slot. */
function lineOfSlot(line: string, slot: 'A' | 'B'): string {
  const words = line.trim().split(' ');
  if (words.filter((word) => word.startsWith('nodewright.slot=')).join() !== 'nodewright.slot=A')
    throw new Error('the command line of the image is not one of slot A');
  return words
    .map((word) => (word.startsWith('nodewright.slot=') ? `nodewright.slot=${slot}` : word))
    .join(' ');
}
