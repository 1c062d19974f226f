/** A file of an archive of images, as it was taken in. */
export interface ArchiveFile {
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
  /** How the content begins, for files that say nothing else of what they are. */
  readonly start: Uint8Array;
}

/** An archive of images, once it has been read. */
export interface ArchiveContents {
  /** By path in the archive. Links are there under both paths. */
  readonly files: ReadonlyMap<string, ArchiveFile>;
  /** The small documents that say what is in it, by path. */
  readonly documents: ReadonlyMap<string, Uint8Array>;
}
