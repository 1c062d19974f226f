import { findProvisioner } from '@nodewright/provision';
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
    const isThere = (await findProvisioner(ref).catch(() => undefined)) !== undefined;
    throw new CancelledFault(
      isThere
        ? `cluster "${ref.name}" is left as it is: "talosctl cluster show --name ${ref.name}" shows it`
        : `cluster "${ref.name}" is removed, with all that was made for it`,
    );
  }
}
