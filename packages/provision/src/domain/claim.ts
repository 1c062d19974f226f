/**
 * What a cluster's supervisor reports about itself to each client that connects to the claim port of its
 * gateway address.
 */
export interface ClaimOwner {
  readonly cluster: string;
  readonly folder: string;
  readonly pid: number;
  /** RFC 3339. */
  readonly since: string;
  readonly nodes: readonly NodeStatus[];
}

/**
 * - `waiting`: not started yet
 * - `restarting`: ended, and about to be started again
 * - `off`: shut down through its API or stopped, until a user starts it
 * - `stopping`: being stopped, because the supervisor ends
 */
export const nodeRunStates = ['waiting', 'running', 'restarting', 'off', 'stopping'] as const;
export type NodeRunState = (typeof nodeRunStates)[number];

export interface NodeStatus {
  readonly name: string;
  readonly state: NodeRunState;
  readonly pid?: number;
  /** How often it was started again after it had died; a reboot does not count. */
  readonly restarts: number;
  /** When it entered its state, RFC 3339. */
  readonly since: string;
  /** How it ended last: `exit code 1`, `SIGKILL`, `reboot`, `power off`. */
  readonly lastExit?: string;
}

/** Checks the JSON value that was read from a claim port; returns `undefined` when it has another shape. */
export function claimOwnerFromJson(value: unknown): ClaimOwner | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { cluster, folder, pid, since, nodes } = value as Record<string, unknown>;
  const isOwner =
    typeof cluster === 'string' &&
    typeof folder === 'string' &&
    typeof pid === 'number' &&
    typeof since === 'string' &&
    Array.isArray(nodes) &&
    nodes.every(isNodeStatus);
  return isOwner ? { cluster, folder, pid, since, nodes } : undefined;
}

function isNodeStatus(value: unknown): value is NodeStatus {
  if (typeof value !== 'object' || value === null) return false;
  const { name, state, pid, restarts, since, lastExit } = value as Record<string, unknown>;
  return (
    typeof name === 'string' &&
    nodeRunStates.some((known) => known === state) &&
    (pid === undefined || typeof pid === 'number') &&
    typeof restarts === 'number' &&
    typeof since === 'string' &&
    (lastExit === undefined || typeof lastExit === 'string')
  );
}
