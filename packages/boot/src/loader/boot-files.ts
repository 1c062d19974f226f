/** Files of a partition that a machine starts from, by paths without a leading slash. */
export interface BootFiles {
  /**
   * At most `length` bytes from `offset` on, fewer at the end of the file; undefined when there is no such file.
   *
   * @throws Fault when it cannot be read
   */
  read(path: string, offset: number, length: number): Promise<Buffer | undefined>;
}

/** The partition BOOT, on which GRUB has its environment block. */
export interface GrubFiles extends BootFiles {
  /**
   * Replaces the bytes of a file by as many others, in place, because GRUB does not find a file that only the journal knows. The partition was
   * read-only before, so that all earlier writes, and the journal, are where GRUB reads them. When the promise is fulfilled the disk has the
   * bytes and the partition is read-only again. A power cut leaves each sector as it was, or as it is to be.
   */
  overwrite(path: string, bytes: Uint8Array): Promise<void>;
}
