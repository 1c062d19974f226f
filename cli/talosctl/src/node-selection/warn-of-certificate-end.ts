import type { Command } from 'commander';
import type { CliEnvironment } from '../context/command-module.ts';
import { commandPath } from '../context/command-path.ts';
import type { NodeOptions } from '../nodes/node-options.ts';
import { escapeEntry } from '../output/escape-text.ts';
import { accessOf } from './command-access.ts';

/**
 * Warns on stderr, before a command that connects to nodes, when the certificate of its context ends soon: after that, nobody gets a new
 * one from the nodes. When it has ended the nodes say so, and a context that cannot be read is reported by the command itself.
 */
export async function warnOfCertificateEnd(command: Command, env: CliEnvironment): Promise<void> {
  if (accessOf(commandPath(command), command.args) === 'local') return;
  const options = command.optsWithGlobals<NodeOptions & { readonly client?: boolean }>();
  // `version --client` calls no node.
  if (options.insecure || options.client) return;
  // Loaded late, so that commands without a connection do not load the code that reads a talosconfig.
  const [{ readContext }, { certificateEnd }] = await Promise.all([
    import('../nodes/talosconfig-of.ts'),
    import('@nodewright/client/talosconfig'),
  ]);
  const known = await readContext(env, options).catch(() => undefined);
  const now = env.now();
  const end = known && certificateEnd(known.context, now);
  if (known === undefined || end?.isDue !== true || end.endsAt <= now) return;
  env.stderr.write(`${escapeEntry(warning(known.name, end.endsAt.toISOString().slice(0, 10)))}\n`);
}

function warning(context: string, day: string): string {
  return `warning: the certificate of context "${context}" ends on ${day}: start a cluster of this machine again ("talosctl cluster start"), or get a new one while it is valid ("talosctl config new")`;
}
