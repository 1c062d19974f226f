import { rootHashIn } from './command-line.ts';
import type { Slot } from './slot.ts';

/** The files of a slot on the partition BOOT, in the folder with its name. The slot is complete when it has its list of digests. */
export const slotFiles = {
  kernel: 'vmlinuz',
  initramfs: 'initramfs',
  /** Digests of the kernel and the initramfs, in the format of `sha256sum`. */
  digests: 'SHA256SUMS',
  /** The command line of the kernel, one line. Slot A of disks of earlier versions has none: their menu has it. */
  commandLine: 'cmdline',
  /** The lines of GRUB for this slot, with the same command line. The same disks have none. */
  entry: 'entry.cfg',
  /** An empty file, as long as the system of the slot is tried: the init then opens a watchdog. */
  trial: 'trial',
  squashfs: 'rootfs.squashfs',
  hashTree: 'rootfs.verity',
  /** The root hash and a line feed. */
  rootHash: 'roothash',
} as const;

export interface RootFiles {
  readonly squashfs: Buffer;
  readonly hashTree: Buffer;
  /** The kernel's command line, which has the root hash. */
  readonly line: string;
}

/**
 * The root of a slot as the init finds it on BOOT, by path: its image, the hash tree, and the file with the root hash. The init looks
 * for its own hash: another disk may have an image of another version in the same slot.
 *
 * @throws Fault as `rootHashIn()`
 */
export function rootOfSlot(slot: Slot, { squashfs, hashTree, line }: RootFiles): Record<string, Buffer> {
  return {
    [`${slot}/${slotFiles.squashfs}`]: squashfs,
    [`${slot}/${slotFiles.hashTree}`]: hashTree,
    [`${slot}/${slotFiles.rootHash}`]: Buffer.from(`${rootHashIn(line)}\n`),
  };
}
