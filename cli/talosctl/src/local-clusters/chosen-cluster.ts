import { listClusters } from '@nodewright/provision';
import type { Command } from 'commander';
import type { CliEnvironment } from '../context/command-module.ts';
import { readContext, talosconfigLocation } from '../nodes/talosconfig-of.ts';
import { type ClusterOptions, clusterRef, provisionerOf } from './cluster-options.ts';

/**
 * The options of a command about one cluster. Without `--name`, the name is that of the current context's cluster, or
 * else the default name.
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

/** The name of the current context's cluster; `undefined` without a context, or for a cluster outside the folder. */
async function clusterOfContext(env: CliEnvironment, options: ClusterOptions): Promise<string | undefined> {
  // Throws when TALOSCONFIG names a missing file: the default cluster would be a wrong guess.
  talosconfigLocation(env, {});
  const current = await readContext(env, {}).catch(() => undefined);
  if (current === undefined) return undefined;
  // The context has the name of the cluster, with a number appended if that name was taken.
  const { clustersFolder } = clusterRef(env, options);
  const mayMatch = (name: string) => current.name === name || current.name.replace(/-\d+$/, '') === name;
  for (const name of (await listClusters(clustersFolder)).filter(mayMatch)) {
    const provisioner = await provisionerOf(env, { ...options, name }).catch(() => undefined);
    const view = await provisioner?.show({ name, clustersFolder }).catch(() => undefined);
    const { path, context } = view?.talosconfig ?? {};
    if (path === current.path && context === current.name) return name;
  }
  return undefined;
}
