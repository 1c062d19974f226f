import { checkDigests, digestListBytes, slotFiles } from '@nodewright/boot';
import type { ReadIfThere } from '../../base/domain/read-if-there.ts';

/** What a boot entry starts, beside its list of digests. */
export const bootFiles = [slotFiles.kernel, slotFiles.initramfs] as const;
export type BootFile = (typeof bootFiles)[number];

/** GRUB compares with it, too. */
export const checksumFile = slotFiles.digests;

/** Larger files are not read into memory. */
export const bootFileLimits: Readonly<Record<BootFile | typeof checksumFile, number>> = {
  vmlinuz: 64 << 20,
  initramfs: 64 << 20,
  [checksumFile]: digestListBytes,
};

/** Whether a kernel is loaded that can take over without the firmware, by the running kernel. */
export const isKernelLoaded = (read: ReadIfThere): boolean =>
  read('/sys/kernel/kexec_loaded')?.toString().trim() === '1';

/**
 * Compares the files of a boot entry with the list of digests beside them.
 *
 * @throws Fault `data-loss` that names the file that differs or is not listed, or for a list that is damaged
 */
export const checkBootFiles = (list: string, files: Readonly<Record<BootFile, Uint8Array>>): void =>
  checkDigests(list, files);
