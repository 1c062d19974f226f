import type { CliEnvironment } from '../context/command-module.ts';
import type { NodeFailure } from '../context/failure.ts';
import type { NodeOptions } from '../nodes/node-options.ts';
import { isUnreachable } from './advice.ts';

/** That the local cluster of the context does not run, in one line; undefined when something else is the reason. */
export async function stoppedCluster(
  env: CliEnvironment,
  options: NodeOptions,
  failures: readonly NodeFailure[],
): Promise<string | undefined> {
  if (!failures.some(({ fault }) => isUnreachable(fault))) return undefined;
  const { localCluster } = await import('../completion/known-nodes.ts');
  const { readContext } = await import('../nodes/talosconfig-of.ts');
  const { name } = await readContext(env, options);
  const cluster = await localCluster(env, name);
  if (cluster?.state !== 'stopped') return undefined;
  return `cluster "${cluster.name}" is stopped: "talosctl cluster start --name ${cluster.name}" starts it`;
}
