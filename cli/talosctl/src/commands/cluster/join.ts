import { longestTimerMs } from '@nodewright/async';
import { Argument, type Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { withChosenCluster } from '../../local-clusters/chosen-cluster.ts';
import { type ClusterOptions, clusterRef, provisionerOf } from '../../local-clusters/cluster-options.ts';
import { nameOutcome } from '../../local-clusters/name-outcome.ts';
import { addOutputOption, type OutputOptions } from '../../nodes/node-options.ts';
import { writeDocument } from '../../render/document.ts';
import { parseGoDuration } from '../../values/go-duration.ts';
import { createStepLines } from './step-lines.ts';

interface JoinOptions extends ClusterOptions, OutputOptions {
  /** In nanoseconds. */
  readonly waitTimeout?: bigint;
}

const defaultTimeout = '5m0s';

/** `talosctl cluster join <node>`: gives a node that was reset the configuration with which it was created. */
export function defineClusterJoin(cluster: Command, env: CliEnvironment): void {
  const command = cluster
    .command('join')
    .description('Give a node in maintenance the configuration that it was created with')
    .addArgument(new Argument('<node>', 'name of the node'))
    .option(
      '--wait-timeout <duration>',
      `how long to wait until the node is a member again (default: ${defaultTimeout})`,
      parseGoDuration,
    );
  addOutputOption(command).action(async (node: string, _options: JoinOptions, called: Command) => {
    const options = await withChosenCluster<JoinOptions>(env, called);
    const provisioner = await provisionerOf(env, options);
    const nanos = options.waitTimeout ?? parseGoDuration(defaultTimeout);
    const timeoutMs = Math.min(Number(nanos / 1_000_000n), longestTimerMs);
    const request = { ...clusterRef(env, options), node, timeoutMs };
    const steps = createStepLines(env.stderr);
    const view = await nameOutcome(env, options, () => provisioner.join(request, steps, env.signal));
    if (options.output !== 'table') return writeDocument(env.stdout, options.output, view);
    env.stderr.write(`cluster "${view.name}": ${node} is a member again\n`);
  });
}
