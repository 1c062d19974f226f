import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { withChosenCluster } from '../../local-clusters/chosen-cluster.ts';
import { type ClusterOptions, clusterRef, provisionerOf } from '../../local-clusters/cluster-options.ts';
import { openItems } from '../../render/document.ts';
import { addLogOutputOption, type LogOutputOptions, lineText } from '../log-output.ts';

interface LogsOptions extends ClusterOptions, LogOutputOptions {
  readonly follow?: boolean;
}

/** `talosctl cluster logs [machine]`: prints the logs of the machines. Source: Talos v1.14: cluster logs. */
export function defineClusterLogs(cluster: Command, env: CliEnvironment): void {
  const command = cluster
    .command('logs')
    .description('Print the logs of the machines of a local cluster')
    .argument('[machine]', 'name of a machine (default: all)')
    .option('-f, --follow', 'keep printing as the logs grow');
  addLogOutputOption(command).action(
    async (machine: string | undefined, _options: LogsOptions, called: Command) => {
      const options = await withChosenCluster<LogsOptions>(env, called);
      const provisioner = await provisionerOf(env, options);
      const request = { node: machine, follow: options.follow ?? false, signal: env.signal };
      const lines = provisioner.logs(clusterRef(env, options), request);
      if (options.output !== 'table' && options.output !== 'raw') {
        const list = openItems(env.stdout, options.output, request.follow);
        for await (const line of lines) await list.add(line);
        return list.end();
      }
      const shown = lineText(env, options);
      for await (const { node, text } of lines) {
        env.stdout.write(machine === undefined ? `[${node}] ${shown(text)}\n` : `${shown(text)}\n`);
      }
    },
  );
}
