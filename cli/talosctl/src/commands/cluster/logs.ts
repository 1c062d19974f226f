import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { withChosenCluster } from '../../local-clusters/chosen-cluster.ts';
import { type ClusterOptions, clusterRef, provisionerOf } from '../../local-clusters/cluster-options.ts';
import { addOutputOption, followedOutput, type OutputOptions } from '../../nodes/node-options.ts';
import { openItems } from '../../render/document.ts';

interface LogsOptions extends ClusterOptions, OutputOptions {
  readonly follow?: boolean;
}

/** `talosctl cluster logs [machine]`: prints the logs of the machines. Source: Talos v1.14: cluster logs. */
export function defineClusterLogs(cluster: Command, env: CliEnvironment): void {
  const command = cluster
    .command('logs')
    .description('Print the logs of the machines of a local cluster')
    .argument('[machine]', 'name of a machine (default: all)')
    .option('-f, --follow', 'keep printing as the logs grow');
  addOutputOption(command, followedOutput).action(
    async (machine: string | undefined, _options: LogsOptions, called: Command) => {
      const options = await withChosenCluster<LogsOptions>(env, called);
      const provisioner = await provisionerOf(env, options);
      const request = { node: machine, follow: options.follow ?? false, signal: env.signal };
      const lines = provisioner.logs(clusterRef(env, options), request);
      if (options.output !== 'table') {
        const list = openItems(env.stdout, options.output, request.follow);
        for await (const line of lines) await list.add(line);
        return list.end();
      }
      for await (const { node, text } of lines) {
        env.stdout.write(machine === undefined ? `[${node}] ${text}\n` : `${text}\n`);
      }
    },
  );
}
