export type EntryKind =
  | 'file'
  | 'folder'
  | 'symbolic link'
  | 'hard link'
  | 'character device'
  | 'block device'
  | 'named pipe'
  | 'socket'
  | 'sparse file'
  | 'entry of an unknown type';

/** A file, folder or link of an extension, as its source describes it. Nothing of it has been checked. */
export interface ExtensionEntry {
  /** The name in the source. */
  readonly name: string;
  readonly kind: EntryKind;
  /** The permission bits, with set-user-ID and set-group-ID. */
  readonly mode: number;
  /** Bytes of a file. */
  readonly sizeBytes: number;
  /** Of a link: a path from where a symbolic link is, or the name of the entry that a hard link repeats. */
  readonly target: string;
  /** Names of extended attributes. */
  readonly attributes: readonly string[];
}
