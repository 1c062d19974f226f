/**
 * The exit codes with which machined tells whoever keeps it running what the machine is to do. Every other code is that
 * of a stop or of a crash.
 */
export const nodeExitCodes = {
  /** Start it anew, at once. */
  reboot: 70,
  /** Leave it down until somebody starts it. */
  powerOff: 71,
} as const;
