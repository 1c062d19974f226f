import { Fault } from '@nodewright/fault';
import type { Command } from 'commander';
import { connectionHeading, ownHeading } from './help/headings.ts';
import { commandPath } from './node-selection/command-path.ts';
import { type OutputFormat, outputWords, parseOutputFormat } from './render/output-format.ts';

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
    .optionsGroup(connectionHeading)
    .option('-n, --nodes <nodes>', 'nodes to talk to, separated by commas', collectNodes)
    .option(
      '-e, --endpoints <endpoints>',
      'endpoints to connect to instead of those of the context',
      collectList,
    )
    .option('--context <name>', 'context of the talosconfig to use instead of the current one')
    .option('--talosconfig <path>', 'client configuration file (default: $TALOSCONFIG, $TALOS_HOME/config)')
    .option('-c, --cluster <name>', 'cluster to name to an endpoint that serves several')
    .option('--siderov1-keys-dir <path>', 'folder of keys for signed calls (not used yet)')
    .optionsGroup(ownHeading);
}

/** For commands that a node without a configuration answers as well. */
export function addInsecureOptions(command: Command): Command {
  return command
    .optionsGroup(connectionHeading)
    .option(
      '-i, --insecure',
      'talk to nodes in maintenance mode: no client certificate, the server is not verified',
    )
    .option(
      '--cert-fingerprint <fingerprints>',
      'with -i: the only server keys to accept, each the base64 of the SHA-256 of the public key',
      collectList,
    )
    .optionsGroup(ownHeading);
}

/** What `-o` says of itself on a command that goes on with `-f`, behind its formats. */
export const followedOutput = ' (with -f an object a line, a document each)';

/** `-o` as on every command that prints results. @param note what its help says behind the formats */
export function addOutputOption(command: Command, note = ''): Command {
  return addOutputFlag(command, '-o, --output <format>', note);
}

/** The same under another flag, where `-o` is taken. */
export function addOutputFlag(command: Command, flags: string, note = ''): Command {
  const path = commandPath(command);
  return command.option(
    flags,
    `${outputWords(path)}${note}`,
    (text) => parseOutputFormat(text, path),
    'table',
  );
}
