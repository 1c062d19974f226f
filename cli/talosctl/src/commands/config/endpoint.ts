import { parseEndpoint } from '@nodewright/client/endpoint';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { addConfigCommand, type ConfigOptions, changeContext, reportChange } from './config-options.ts';

/** `talosctl config endpoint`: sets the endpoints to which calls of a context connect. */
export function defineConfigEndpoint(config: Command, env: CliEnvironment): void {
  addConfigCommand(config, 'endpoint', 'Set the endpoints of the current context')
    .alias('endpoints')
    .argument('<endpoint...>', 'hosts, host:port or URLs')
    .action(async (words: string[], _options: ConfigOptions, command: Command) => {
      const options = command.optsWithGlobals<ConfigOptions>();
      const endpoints = words.map((word) => word.trim());
      endpoints.forEach(parseEndpoint);
      const context = await changeContext(env, options, (before) => ({ ...before, endpoints }));
      await reportChange(env, options, { context, endpoints });
    });
}
