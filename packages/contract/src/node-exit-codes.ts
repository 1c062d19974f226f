/**
 * Exit codes of machined that request an action from its supervisor. Every other code means a stop or a
 * crash.
 */
export const nodeExitCodes = {
  /** Restart machined at once. */
  reboot: 70,
  /** Do not restart machined until a user starts it. */
  powerOff: 71,
  /** Start the kernel that is loaded, without the firmware. Only the first process of a machine ends with it. */
  kexec: 72,
} as const;
