import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { faultFrom } from '@nodewright/fault';
import { type ClusterRef, findProvisioner } from '@nodewright/provision';
import type { CliEnvironment } from '../context/command-module.ts';
import { CancelledFault } from '../context/failure.ts';
import { type ClusterOptions, clusterRef } from './cluster-options.ts';

/**
 * Runs a change of a local cluster. When it was interrupted, the failure says what is left of the cluster.
 *
 * @throws CancelledFault after Ctrl-C; else what `change` throws
 */
export async function nameOutcome<T>(
  env: CliEnvironment,
  options: ClusterOptions,
  change: () => Promise<T>,
): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (!env.signal.aborted) throw error;
    const ref = clusterRef(env, options);
    throw new CancelledFault(`cluster "${ref.name}" ${await outcomeOf(ref, error)}`);
  }
}

async function outcomeOf(ref: ClusterRef, error: unknown): Promise<string> {
  const { name, clustersFolder } = ref;
  if ((await findProvisioner(ref).catch(() => undefined)) !== undefined)
    return `is left as it is: "talosctl cluster show --name ${name}" shows it`;
  const folder = join(clustersFolder, name);
  if (!existsSync(folder)) return 'is removed, with all that was made for it';
  const reason = JSON.stringify(faultFrom(error).message);
  return `is not removed as a whole: ${folder} is there (${reason}), which "talosctl cluster destroy --force --name ${name}" removes`;
}
