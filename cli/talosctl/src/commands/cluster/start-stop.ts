import { nodesText } from '@nodewright/provision';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { withChosenCluster } from '../../local-clusters/chosen-cluster.ts';
import { type ClusterOptions, clusterRef, provisionerOf } from '../../local-clusters/cluster-options.ts';
import { nameOutcome } from '../../local-clusters/name-outcome.ts';
import { addOutputOption, type OutputOptions } from '../../nodes/node-options.ts';
import { writeDocument } from '../../render/document.ts';
import { runningNodes } from './list.ts';
import { createStepLines } from './step-lines.ts';

type ChangeOptions = ClusterOptions & OutputOptions;

/** `talosctl cluster start [node]`: starts the stopped nodes and waits until they answer. */
export function defineClusterStart(cluster: Command, env: CliEnvironment): void {
  defineChange(cluster, env, 'start', 'Start a stopped local cluster, or one of its nodes');
}

/** `talosctl cluster stop [node]`: stops the nodes and keeps their data, so that they can be started again. */
export function defineClusterStop(cluster: Command, env: CliEnvironment): void {
  defineChange(cluster, env, 'stop', 'Stop a local cluster, or one of its nodes, and keep the data');
}

function defineChange(
  cluster: Command,
  env: CliEnvironment,
  verb: 'start' | 'stop',
  description: string,
): void {
  const command = cluster
    .command(verb)
    .description(description)
    .argument('[node]', 'name of a node (default: all)');
  addOutputOption(command).action(
    async (node: string | undefined, _options: ChangeOptions, called: Command) => {
      const options = await withChosenCluster<ChangeOptions>(env, called);
      const provisioner = await provisionerOf(env, options);
      const change = { ...clusterRef(env, options), node };
      const steps = createStepLines(env.stderr);
      const view = await nameOutcome(env, options, () =>
        verb === 'start' ? provisioner.start(change, steps, env.signal) : provisioner.stop(change, steps),
      );
      if (options.output === 'table')
        env.stderr.write(
          `cluster "${view.name}": ${nodesText('run', runningNodes(view), view.nodes.length)}\n`,
        );
      else await writeDocument(env.stdout, options.output, view);
    },
  );
}
