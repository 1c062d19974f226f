import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { chooseContext } from '../../nodes/talosconfig-of.ts';
import { addConfigCommand, type ConfigOptions, changeTalosconfig, reportChange } from './config-options.ts';

/** `talosctl config context`: makes another context the current one. */
export function defineConfigContext(config: Command, env: CliEnvironment): void {
  addConfigCommand(config, 'context', 'Make a context the current one')
    .alias('use-context')
    .argument('<context>', 'name of the context')
    .action(async (name: string, _options: ConfigOptions, command: Command) => {
      const options = command.optsWithGlobals<ConfigOptions>();
      await changeTalosconfig(env, options, (before, path) => ({
        ...before,
        context: chooseContext(before, path, name).name,
      }));
      await reportChange(env, options, { context: name });
    });
}
