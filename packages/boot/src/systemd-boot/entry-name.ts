import { type Slot, slots } from '../slot/slot.ts';

/** Where systemd-boot looks for unified kernels, below the EFI partition. Source: UAPI group, unified kernel image, and boot loader specification. */
export const unifiedKernelFolder = 'EFI/Linux';

/**
 * The name of the unified kernel of a slot, which is also the name of its boot entry. It has no `+`, which would make systemd-boot count
 * starts, and no character of a pattern, which `LoaderEntryDefault` is.
 */
export const entryName = (slot: Slot): string => `nodewright-${slot.toLowerCase()}.efi`;

/** The slot of an entry. systemd-boot compares names without regard to case, as FAT does. */
export const slotOfEntry = (name: string | undefined): Slot | undefined =>
  slots.find((slot) => entryName(slot) === name?.toLowerCase());
