/**
 * Every process of a cluster is started with this environment variable, which holds the cluster's folder.
 * `isOwnedBy()` recognises a process by it before any signal is sent. A pid is not enough, because the kernel
 * reuses pids, and neither is a working directory, because a user's shell may have the same one.
 */
export const clusterVariable = 'NODEWRIGHT_CLUSTER';

export interface ProcessIdentity {
  readonly group: number;
  readonly args: readonly string[];
  readonly environment: readonly string[];
}

/** Whether a process belongs to the cluster in `folder`, an absolute path without symbolic links. */
export function isOwnedBy(
  folder: string,
  process: ProcessIdentity,
  recordedGroups: ReadonlySet<number>,
): boolean {
  if (process.environment.includes(`${clusterVariable}=${folder}`)) return true;
  if (isSupervisorOf(folder, process.args)) return true;
  // A child that got another environment must be in a recorded group and have a path of this cluster as
  // argument.
  return recordedGroups.has(process.group) && process.args.some((arg) => arg.includes(`${folder}/nodes/`));
}

/** Whether this is a supervisor or keeper of the cluster that a user started by hand. */
function isSupervisorOf(folder: string, args: readonly string[]): boolean {
  return runsSupervisor(args) && args[args.indexOf('--folder') + 1] === folder;
}

/** Whether a process of a cluster is its supervisor or keeper. */
export function runsSupervisor(args: readonly string[]): boolean {
  return args.some((arg) => /(^|\/)(process-supervisor|docker-keeper)\.cjs$/.test(arg));
}
