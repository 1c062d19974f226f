/** The clock of a machine, which its first process may set. */
export interface MachineClock {
  /** When the image of the machine was built, Unix ms; `undefined` when the image does not say so. */
  readonly builtMs: number | undefined;
  /** Whether the clock was before that at the start, so that it is certainly wrong. */
  readonly wasBehind: boolean;
  /** @param unixMs with fractions. @throws SystemCallError when the kernel refuses it */
  set(unixMs: number): void;
}
