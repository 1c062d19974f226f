import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { withChosenCluster } from '../../local-clusters/chosen-cluster.ts';
import { type ClusterOptions, clusterRef, provisionerOf } from '../../local-clusters/cluster-options.ts';
import { addOutputOption, type OutputOptions } from '../../nodes/node-options.ts';
import { writeDocument } from '../../render/document.ts';
import { clusterText } from './cluster-tables.ts';

/** `talosctl cluster show`: prints a cluster and the state of its nodes. */
export function defineClusterShow(cluster: Command, env: CliEnvironment): void {
  const command = cluster.command('show').description('Show a local cluster and its nodes');
  addOutputOption(command).action(async (_options: OutputOptions, called: Command) => {
    const options = await withChosenCluster<ClusterOptions & OutputOptions>(env, called);
    const provisioner = await provisionerOf(env, options);
    const view = await provisioner.show(clusterRef(env, options));
    if (options.output === 'table') env.stdout.write(clusterText(view));
    else await writeDocument(env.stdout, options.output, view);
  });
}
