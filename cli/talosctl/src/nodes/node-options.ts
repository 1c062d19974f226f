import { Fault } from '@nodewright/fault';
import { type Command, InvalidArgumentError } from 'commander';
import { commandPath } from '../context/command-path.ts';
import { connectionHeading, ownHeading } from '../context/headings.ts';
import { type OutputFormat, outputWords, parseOutputFormat } from '../render/output-format.ts';

/** Options of all commands that talk to nodes. */
export interface NodeOptions {
  readonly talosconfig?: string;
  readonly nodes?: readonly string[];
  readonly endpoints?: readonly string[];
  readonly context?: string;
  readonly cluster?: string;
  readonly siderov1KeysDir?: string;
  readonly certFingerprint?: readonly string[];
  /** Only on commands that nodes in maintenance mode support. */
  readonly insecure?: boolean;
}

/** Options of a command that prints results. */
export interface OutputOptions {
  readonly output: OutputFormat;
}

/** Adds the words of one occurrence of a list option: `-n a,b -n c` becomes `a`, `b`, `c`. */
export function collectList(text: string, before: readonly string[] = []): string[] {
  const words = text.split(',').map((word) => word.trim());
  return [...before, ...words.filter((word) => word !== '')];
}

/**
 * Parses `--nodes`. It rejects an empty value, which is most likely an unset shell variable: the command must not run
 * on the default nodes instead.
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

/** Adds fingerprints of server keys. */
function collectFingerprints(text: string, before?: readonly string[]): string[] {
  const isDigest = (word: string) => /^[A-Za-z0-9+/]{43}=$/.test(word);
  if (!collectList(text).every(isDigest))
    throw new InvalidArgumentError('It must be the base64 of a SHA-256, which has 44 characters.');
  return collectList(text, before);
}

/** Adds the options that select the cluster and the nodes. Source: Talos v1.14: global flags. */
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
    .option(
      '--talosconfig <path>',
      'client configuration file (default: $TALOSCONFIG, or else $TALOS_HOME/config)',
    )
    .option('-c, --cluster <name>', 'cluster name to send to an endpoint that serves several clusters')
    .option(
      '--cert-fingerprint <fingerprints>',
      'accept only these server keys, whoever signed them, each as the base64 of the SHA-256 of the public key; dials the nodes themselves without --endpoints',
      collectFingerprints,
    )
    .option('--siderov1-keys-dir <path>', 'folder with keys for signing calls (has no effect)')
    .optionsGroup(ownHeading);
}

/** Adds the options of commands that nodes in maintenance mode support. */
export function addInsecureOptions(command: Command): Command {
  return command
    .optionsGroup(connectionHeading)
    .option(
      '-i, --insecure',
      'talk to nodes in maintenance mode, without a client certificate and without verifying the server',
    )
    .optionsGroup(ownHeading);
}

/** Help of `-o` after the formats, on a command with `-f`. */
export const followedOutput = ' (with -f: one JSON object per line, or one YAML document per item)';

/** Adds the `-o` of commands that print results. @param note text that the help shows after the formats */
export function addOutputOption(command: Command, note = ''): Command {
  return addOutputFlag(command, '-o, --output <format>', note);
}

/** Adds the same option under another flag, for a command that uses `-o` for something else. */
export function addOutputFlag(command: Command, flags: string, note = ''): Command {
  const path = commandPath(command);
  return command.option(
    flags,
    `${outputWords(path)}${note}`,
    (text) => parseOutputFormat(text, path),
    'table',
  );
}
