/** A file of an archive of images, after its import. */
export interface ArchiveFile {
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
  /** The first bytes of the content, for files without a known type. */
  readonly start: Uint8Array;
}

/** An archive of images after it was read. */
export interface ArchiveContents {
  /** By path in the archive. A link is listed under both paths. */
  readonly files: ReadonlyMap<string, ArchiveFile>;
  /** The small documents that describe the archive, by path. */
  readonly documents: ReadonlyMap<string, Uint8Array>;
}
