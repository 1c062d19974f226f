/** A file that a command will write. */
export interface PlannedFile {
  /** The path that messages show: absolute, or relative to the working directory. */
  readonly path: string;
  readonly text: string;
  /** Permission bits, before the umask. */
  readonly mode: number;
}

/** Permission bits of a file that only its owner may read. */
export const privateMode = 0o600;
export const publicMode = 0o644;
