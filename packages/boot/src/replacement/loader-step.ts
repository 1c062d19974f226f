import type { Slot } from '../slot/slot.ts';

/**
 * One change of the boot loader of a disk. The disk has a step completely before the next one begins: data and names are synced. A plan that was
 * interrupted is made again, from what is there.
 */
export type LoaderStep =
  /** Writes whole sectors of the disk, past the cache of files, and syncs the disk. */
  | { readonly kind: 'write sectors'; readonly sector: number; readonly bytes: Buffer }
  /** Writes a file in place of one that may be there, syncs it, and compares what it reads back. Nothing that starts the machine reads it yet. */
  | {
      readonly kind: 'write file';
      readonly partition: Partition;
      readonly path: string;
      readonly bytes: Buffer;
    }
  /** As `write file`, with the bytes of another file. */
  | {
      readonly kind: 'copy file';
      readonly partition: Partition;
      readonly from: string;
      readonly path: string;
    }
  /** Gives a file of BOOT a second name. One that is there already is left alone. */
  | { readonly kind: 'link file'; readonly from: string; readonly path: string }
  /** Makes BOOT read-only, which writes all that its journal has to its place, and writable again. GRUB does not read the journal. */
  | { readonly kind: 'empty journal' }
  /**
   * Renames a file to the name of one that starts the machine. The file of that name is opened before, and is closed when the partition is
   * synced: until then its blocks are not free, so a power cut leaves the old file or the new one.
   */
  | {
      readonly kind: 'replace file';
      readonly partition: Partition;
      readonly from: string;
      readonly path: string;
    }
  /** Stores the default of systemd-boot in the firmware. */
  | { readonly kind: 'set default'; readonly slot: Slot };

export type Partition = 'BOOT' | 'EFI';

/** No steps: the loader is up to date. */
export type LoaderPlan = { readonly refusal: string } | { readonly steps: readonly LoaderStep[] };
