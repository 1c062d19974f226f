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
  /** Start the system that the node has chosen. Only a node that is one container ends with it, and the keeper of its cluster follows it. */
  chosenSystem: 73,
} as const;
