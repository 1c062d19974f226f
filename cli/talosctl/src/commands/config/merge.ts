import { resolve } from 'node:path';
import {
  type ContextRename,
  mergeTalosconfig,
  readExistingTalosconfig,
} from '@nodewright/client/talosconfig';
import { Fault } from '@nodewright/fault';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { addConfigCommand, type ConfigOptions, changeTalosconfig, reportChange } from './config-options.ts';

/** `talosctl config merge`: adds the contexts of another talosconfig file. */
export function defineConfigMerge(config: Command, env: CliEnvironment): void {
  addConfigCommand(config, 'merge', 'Add the contexts of another talosconfig')
    .argument('<from>', 'path of the other talosconfig')
    .action(async (from: string, _options: ConfigOptions, command: Command) => {
      const options = command.optsWithGlobals<ConfigOptions>();
      const path = resolve(env.cwd, from);
      const incoming = await readExistingTalosconfig(path);
      if (incoming === undefined) throw new Fault('not-found', `talosconfig ${path} does not exist`);
      if (incoming.contexts.size === 0)
        throw new Fault('invalid-argument', `talosconfig ${path} has no contexts: nothing was merged`);
      let renames: readonly ContextRename[] = [];
      const { context } = await changeTalosconfig(env, options, (before) => {
        const merged = mergeTalosconfig(before, incoming);
        renames = merged.renames;
        return merged.config;
      });
      for (const rename of renames) {
        env.stderr.write(`renamed talosconfig context "${rename.from}" -> "${rename.to}"\n`);
      }
      await reportChange(env, options, { context, renamed: renames });
    });
}
