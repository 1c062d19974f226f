import type { Command } from 'commander';
import type { CliEnvironment } from '../command-module.ts';
import { UsageFault } from '../failure.ts';
import type { NodeOptions } from '../node-options.ts';
import { accessOf } from './command-access.ts';
import { commandPath } from './command-path.ts';

/**
 * Checks before the action of a command that the user named the nodes, as far as the access of the command wants it.
 * Without the check a command that names no node goes to the first endpoint.
 *
 * @throws UsageFault when the nodes of a change are named nowhere, or those of a destruction not by `--nodes`
 */
export async function checkNodeSelection(command: Command, env: CliEnvironment): Promise<void> {
  const path = commandPath(command);
  const access = accessOf(path, command.args);
  if (access === 'local' || access === 'reads') return;
  const options = command.optsWithGlobals<NodeOptions>();
  if ((options.nodes ?? []).length > 0) return;
  if (access === 'destroys') {
    throw new UsageFault(
      `${path} wants its nodes named by flag --nodes: it takes none from the context, and no endpoint`,
    );
  }
  // The client itself says what is missing then.
  if (options.insecure) return;
  // Loaded late: commands that talk to no node do without what reads a talosconfig.
  const { readContext } = await import('../talosconfig-of.ts');
  const { name, context } = await readContext(env, options);
  if (context.nodes.length > 0) return;
  throw new UsageFault(
    `${[path, ...command.args].join(' ')} changes nodes, and none is named: add flag --nodes, or set those of context "${name}" with "talosctl config node <node>"`,
  );
}
