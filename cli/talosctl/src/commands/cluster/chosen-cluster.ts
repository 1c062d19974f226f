import { listClusters } from '@nodewright/provision';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../command-module.ts';
import { readContext, talosconfigLocation } from '../../talosconfig-of.ts';
import { type ClusterOptions, clusterRef, provisionerOf } from './cluster-options.ts';

/**
 * The options of a command about one cluster. Without `--name` it is the cluster that the current context leads to,
 * else the one of the default name.
 */
export async function withChosenCluster<Options extends ClusterOptions>(
  env: CliEnvironment,
  called: Command,
): Promise<Options> {
  const options = called.optsWithGlobals<Options>();
  if (called.parent?.getOptionValueSource('name') !== 'default') return options;
  const name = await clusterOfContext(env, options);
  return name === undefined ? options : { ...options, name };
}

/** Undefined when no context is current, or it is not one of a cluster in the folder. */
async function clusterOfContext(env: CliEnvironment, options: ClusterOptions): Promise<string | undefined> {
  // A variable that names a missing file is an error of the user, and not a reason to take another cluster.
  talosconfigLocation(env, {});
  const current = await readContext(env, {}).catch(() => undefined);
  if (current === undefined) return undefined;
  // A context is called as its cluster, with a number behind it where that name was taken.
  const { clustersFolder } = clusterRef(env, options);
  const isNear = (name: string) => current.name === name || current.name.replace(/-\d+$/, '') === name;
  for (const name of (await listClusters(clustersFolder)).filter(isNear)) {
    const provisioner = await provisionerOf(env, { ...options, name }).catch(() => undefined);
    const view = await provisioner?.show({ name, clustersFolder }).catch(() => undefined);
    const { path, context } = view?.talosconfig ?? {};
    if (path === current.path && context === current.name) return name;
  }
  return undefined;
}
