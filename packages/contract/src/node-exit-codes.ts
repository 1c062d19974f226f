/**
 * Exit codes of machined that request an action from its supervisor. Every other code means a stop or a
 * crash.
 */
export const nodeExitCodes = {
  /** Restart machined at once. */
  reboot: 70,
  /** Do not restart machined until a user starts it. */
  powerOff: 71,
} as const;
