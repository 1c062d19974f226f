import type { Command } from 'commander';
import type { CliEnvironment } from '../context/command-module.ts';
import { commandPath } from '../context/command-path.ts';
import { UsageFault } from '../context/failure.ts';
import type { NodeOptions } from '../nodes/node-options.ts';
import { accessOf } from './command-access.ts';

/**
 * Checks, before a command runs, that the user named its nodes as the access of the command requires. Without
 * this check a command without nodes would go to the first endpoint.
 *
 * @throws UsageFault when no nodes are named for a change, or when the nodes of a destructive command are not
 * named by `--nodes`
 */
export async function checkNodeSelection(command: Command, env: CliEnvironment): Promise<void> {
  const path = commandPath(command);
  const access = accessOf(path, command.args);
  if (access !== 'changes' && access !== 'destroys') return;
  const options = command.optsWithGlobals<NodeOptions & { readonly all?: boolean }>();
  // It names all nodes of the cluster.
  if (path === 'upgrade' && options.all) return;
  if ((options.nodes ?? []).length > 0) return;
  if (access === 'destroys') {
    throw new UsageFault(
      `${path} wants its nodes named by flag --nodes: it takes none from the context, and no endpoint`,
    );
  }
  // The client itself reports the missing names in this case.
  if (options.insecure) return;
  // Loaded late, so that commands without a connection do not load the code that reads a talosconfig.
  const { readContext } = await import('../nodes/talosconfig-of.ts');
  const { name, context } = await readContext(env, options);
  if (context.nodes.length > 0) return;
  throw new UsageFault(
    `${[path, ...command.args].join(' ')} changes nodes, and none is named: add flag --nodes, or set those of context "${name}" with "talosctl config node <node>"`,
  );
}
