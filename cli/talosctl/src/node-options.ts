import { Fault } from '@nodewright/fault';
import type { Command } from 'commander';
import { type OutputFormat, parseOutputFormat } from './render/document.ts';

/** Options of every command that talks to nodes. */
export interface NodeOptions {
  readonly talosconfig?: string;
  readonly nodes?: readonly string[];
  readonly endpoints?: readonly string[];
  readonly context?: string;
  readonly cluster?: string;
  readonly siderov1KeysDir?: string;
  /** Only on commands that a node without a configuration answers. */
  readonly insecure?: boolean;
  readonly certFingerprint?: readonly string[];
}

/** Options of a command that prints results. */
export interface OutputOptions {
  readonly output: OutputFormat;
}

/** Adds the words of one use of a list option: `-n a,b -n c` is `a`, `b`, `c`. */
export function collectList(text: string, before: readonly string[] = []): string[] {
  const words = text.split(',').map((word) => word.trim());
  return [...before, ...words.filter((word) => word !== '')];
}

/**
 * The value of `--nodes`. One that names none is most likely a variable of the shell that is not set: the command must
 * not go to whichever node is there instead.
 *
 * @throws Fault `invalid-argument` for a text without any name
 */
function collectNodes(text: string, before?: readonly string[]): string[] {
  if (collectList(text).length === 0) {
    throw new Fault(
      'invalid-argument',
      `flag --nodes has an empty node name (${JSON.stringify(text)}): name a node, or leave the flag out`,
    );
  }
  return collectList(text, before);
}

/** The options that say which cluster and which nodes. Source: Talos v1.14: global flags. */
export function addNodeOptions(command: Command): Command {
  return command
    .option(
      '-n, --nodes <nodes>',
      'nodes to talk to, separated by commas (default: those of the context)',
      collectNodes,
    )
    .option(
      '-e, --endpoints <endpoints>',
      'endpoints to connect to instead of those of the context',
      collectList,
    )
    .option('--context <name>', 'context of the talosconfig to use instead of the current one')
    .option('--talosconfig <path>', 'client configuration file (default: $TALOSCONFIG, $TALOS_HOME/config)')
    .option('-c, --cluster <name>', 'cluster to name to an endpoint that serves several')
    .option('--siderov1-keys-dir <path>', 'folder of keys for signed calls (not used yet)');
}

/** For commands that a node without a configuration answers as well. */
export function addInsecureOptions(command: Command): Command {
  return command
    .option(
      '-i, --insecure',
      'talk to nodes in maintenance mode: no client certificate, the server is not verified',
    )
    .option(
      '--cert-fingerprint <fingerprints>',
      'with -i: the only server keys to accept, each the base64 of the SHA-256 of the public key',
      collectList,
    );
}

/** What `-o` says of itself on a command that goes on with `-f`. */
export const followedOutput =
  'output format: table, json or yaml (with -f an object a line, a document each)';

/** `-o` as on every command that prints results. */
export function addOutputOption(
  command: Command,
  description = 'output format: table, json or yaml',
): Command {
  return command.option('-o, --output <format>', description, parseOutputFormat, 'table');
}
