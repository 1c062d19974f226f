/** A file that a command is about to make. */
export interface PlannedFile {
  /** As it is shown to the user; relative to the working folder, or absolute. */
  readonly path: string;
  readonly text: string;
  /** Permission bits, before the umask. */
  readonly mode: number;
}

/** For what only its owner may read. */
export const privateMode = 0o600;
export const publicMode = 0o644;
