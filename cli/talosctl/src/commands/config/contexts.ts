import { readTalosconfig } from '@nodewright/client/talosconfig';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { talosconfigLocation } from '../../nodes/talosconfig-of.ts';
import { writeDocument } from '../../render/document.ts';
import { formatTable } from '../../render/table.ts';
import { addConfigCommand, type ConfigOptions } from './config-options.ts';

const shownNodes = 3;

function nodesText(nodes: readonly string[]): string {
  const text = nodes.slice(0, shownNodes).join(',');
  return nodes.length > shownNodes ? `${text}...` : text;
}

/** `talosctl config contexts`: prints one row per context, sorted by name. */
export function defineConfigContexts(config: Command, env: CliEnvironment): void {
  addConfigCommand(config, 'contexts', 'List the contexts')
    .alias('get-contexts')
    .action(async (_options: ConfigOptions, command: Command) => {
      const options = command.optsWithGlobals<ConfigOptions>();
      const { context: current, contexts } = await readTalosconfig(talosconfigLocation(env, options).path);
      const sorted = [...contexts].sort(([a], [b]) => (a < b ? -1 : 1));
      if (options.output !== 'table') {
        const entries = sorted.map(([name, { endpoints, nodes }]) => ({
          name,
          current: name === current,
          endpoints,
          nodes,
        }));
        return writeDocument(env.stdout, options.output, entries);
      }
      const rows = sorted.map(([name, { endpoints, nodes }]) => [
        name === current ? '*' : '',
        name,
        endpoints.join(','),
        nodesText(nodes),
      ]);
      env.stdout.write(
        `${formatTable([['CURRENT', 'NAME', 'ENDPOINTS', 'NODES'], ...rows], env.stdout.isTTY).join('\n')}\n`,
      );
    });
}
