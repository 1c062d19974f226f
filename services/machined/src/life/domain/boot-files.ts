import type { ReadIfThere } from '../../base/domain/read-if-there.ts';

/** Whether a kernel is loaded that can take over without the firmware, by the running kernel. */
export const isKernelLoaded = (read: ReadIfThere): boolean =>
  read('/sys/kernel/kexec_loaded')?.toString().trim() === '1';
