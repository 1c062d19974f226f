import type { TalosconfigContext } from '@nodewright/client/talosconfig';
import { type Talosconfig, updateTalosconfig, withContext } from '@nodewright/client/talosconfig';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { addOutputOption, type NodeOptions, type OutputOptions } from '../../nodes/node-options.ts';
import { chooseContext, writtenTalosconfig } from '../../nodes/talosconfig-of.ts';
import { writeDocument } from '../../render/document.ts';

export type ConfigOptions = NodeOptions & OutputOptions;

/** Adds a subcommand of `talosctl config`. The parent command defines `-n`, `--context` and the like. */
export function addConfigCommand(config: Command, usage: string, summary: string): Command {
  return addOutputOption(config.command(usage).description(summary));
}

/** Changes the talosconfig file. `change` gets its content and its path. */
export function changeTalosconfig(
  env: CliEnvironment,
  options: ConfigOptions,
  change: (config: Talosconfig, path: string) => Talosconfig | Promise<Talosconfig>,
): Promise<Talosconfig> {
  const location = writtenTalosconfig(env, options);
  return updateTalosconfig(location, (config) => change(config, location.path));
}

/** Changes the context that `--context` names, or else the current one. Resolves to its name. */
export async function changeContext(
  env: CliEnvironment,
  options: ConfigOptions,
  change: (context: TalosconfigContext) => TalosconfigContext,
): Promise<string> {
  let changed = '';
  await changeTalosconfig(env, options, (config, path) => {
    const { name, context } = chooseContext(config, path, options.context);
    changed = name;
    return withContext(config, name, change(context));
  });
  return changed;
}

/** Prints `facts` when the output is a document; a command that changes something prints no table. */
export async function reportChange(
  env: CliEnvironment,
  { output }: OutputOptions,
  facts: object,
): Promise<void> {
  if (output !== 'table') await writeDocument(env.stdout, output, facts);
}
