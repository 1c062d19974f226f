/**
 * Every process of a cluster carries this variable with the cluster's folder in the environment it was started with:
 * that is how it is told from all others before anything is sent to it. A pid alone may have been given to someone
 * else, and a working directory may be that of a user who looks around.
 */
export const clusterVariable = 'NODEWRIGHT_CLUSTER';

export interface ProcessIdentity {
  readonly group: number;
  readonly args: readonly string[];
  readonly environment: readonly string[];
}

/** Whether a process belongs to the cluster in `folder` (absolute, without symbolic links). */
export function isOwnedBy(
  folder: string,
  process: ProcessIdentity,
  recordedGroups: ReadonlySet<number>,
): boolean {
  if (process.environment.includes(`${clusterVariable}=${folder}`)) return true;
  if (isSupervisorOf(folder, process.args)) return true;
  // A child that was given another environment: in a group we recorded, and told a path inside this cluster.
  return recordedGroups.has(process.group) && process.args.some((arg) => arg.includes(`${folder}/nodes/`));
}

/** A supervisor that someone started by hand. */
function isSupervisorOf(folder: string, args: readonly string[]): boolean {
  const isProgram = args.some((arg) => /(^|\/)(process-supervisor|docker-keeper)\.cjs$/.test(arg));
  return isProgram && args[args.indexOf('--folder') + 1] === folder;
}
