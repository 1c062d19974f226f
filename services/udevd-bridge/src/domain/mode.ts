/** How the daemon learns of devices. */
export interface BridgeMode {
  readonly kind: 'udevd' | 'read-only';
  /** Why it is not the other one. */
  readonly reason: string;
}

export interface ModeFacts {
  /** The program that the daemon was told to run. */
  readonly udevdProgram: string | undefined;
  readonly programExists: boolean;
  readonly userId: number;
}

/** udevd is run only where the daemon was told to: on a machine that belongs to the node. */
export function decideMode({ udevdProgram, programExists, userId }: ModeFacts): BridgeMode {
  const readOnly = (reason: string): BridgeMode => ({ kind: 'read-only', reason });
  if (udevdProgram === undefined)
    return readOnly('the devices of this host do not belong to the node, so it runs no udevd');
  if (userId !== 0) return readOnly(`udevd needs root, and the daemon runs as user ${userId}`);
  if (!programExists) return readOnly(`there is no ${udevdProgram}`);
  return { kind: 'udevd', reason: 'the devices of this machine belong to the node' };
}
