import { createHash } from 'node:crypto';
import { Fault } from '@nodewright/fault';
import type { ReadIfThere } from '../../base/domain/read-if-there.ts';

/** What a boot entry starts, beside its list of digests. */
export const bootFiles = ['vmlinuz', 'initramfs'] as const;
export type BootFile = (typeof bootFiles)[number];

/** In the format of `sha256sum`; GRUB compares with it, too. */
export const checksumFile = 'SHA256SUMS';

/** Larger files are not read into memory. */
export const bootFileLimits: Readonly<Record<BootFile | typeof checksumFile, number>> = {
  vmlinuz: 64 << 20,
  initramfs: 64 << 20,
  [checksumFile]: 4096,
};

/** Whether a kernel is loaded that can take over without the firmware, by the running kernel. */
export const isKernelLoaded = (read: ReadIfThere): boolean =>
  read('/sys/kernel/kexec_loaded')?.toString().trim() === '1';

const slotArgument = 'nodewright.slot=';

/** The slot that the machine was started from, by the kernel's command line. */
export function bootSlot(commandLine: string): 'A' | 'B' {
  const words = commandLine.trim().split(/\s+/);
  return words.findLast((word) => word.startsWith(slotArgument)) === `${slotArgument}B` ? 'B' : 'A';
}

/**
 * Compares the files of a boot entry with the list of digests beside them.
 *
 * @throws Fault `data-loss` that names the file that differs or is not listed
 */
export function checkBootFiles(list: string, files: Readonly<Record<BootFile, Uint8Array>>): void {
  const lines = new Set(list.split('\n'));
  for (const name of bootFiles) {
    const digest = createHash('sha256').update(files[name]).digest('hex');
    if (!lines.has(`${digest}  ${name}`))
      throw new Fault('data-loss', `${name} differs from its digest in ${checksumFile}`);
  }
}
