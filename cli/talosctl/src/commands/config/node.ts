import { checkNodeName } from '@nodewright/client/node-name';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { addConfigCommand, type ConfigOptions, changeContext, reportChange } from './config-options.ts';

/** `talosctl config node`: sets the nodes that commands address without `--nodes`. */
export function defineConfigNode(config: Command, env: CliEnvironment): void {
  addConfigCommand(config, 'node', 'Set the nodes of the current context; without a node, clear them')
    .alias('nodes')
    .argument('[node...]', 'names or addresses of nodes')
    .action(async (words: string[], _options: ConfigOptions, command: Command) => {
      const options = command.optsWithGlobals<ConfigOptions>();
      const nodes = words.map((word) => word.trim());
      nodes.forEach(checkNodeName);
      const context = await changeContext(env, options, (before) => ({ ...before, nodes }));
      await reportChange(env, options, { context, nodes });
    });
}
