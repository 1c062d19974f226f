import type { NodeClient } from '@nodewright/client';
import { ApplyConfigurationRequest_Mode as Mode } from '@nodewright/contract/gen/machine/machine.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandLimit } from '../context/command-limit.ts';
import { onlyMessage } from '../nodes/only-message.ts';
import { parseGoDuration, protobufDuration } from '../values/go-duration.ts';

/** Modes by the values of `-m`. Source: Talos v1.14: apply-config. */
const modes = { auto: Mode.AUTO, 'no-reboot': Mode.NO_REBOOT, staged: Mode.STAGED, try: Mode.TRY } as const;

export type ModeName = keyof typeof modes;

/** Options of all commands that send a machine configuration. */
export interface ApplyOptions {
  readonly mode: ModeName;
  /** Nanoseconds until a node reverts a configuration in mode `try`. */
  readonly timeout: bigint;
  readonly dryRun: boolean;
  /** Send a configuration of another cluster or machine type, or one that takes the called address away, without a question. */
  readonly yes?: boolean;
}

const defaultTimeout = '1m0s';
/** How long a node may take to check and store a configuration. A busy machine takes half a minute. Nanoseconds. */
const applyNanos = 300_000_000_000n;

function parseMode(text: string): ModeName {
  if (Object.hasOwn(modes, text)) return text as ModeName;
  if (text === 'reboot') {
    throw new InvalidArgumentError('Talos has removed this mode: use auto, or staged and "talosctl reboot".');
  }
  throw new InvalidArgumentError(`It must be one of ${Object.keys(modes).join(', ')}.`);
}

function parseTimeout(text: string): bigint {
  const timeout = parseGoDuration(text);
  if (timeout <= 0n) throw new InvalidArgumentError('It must be more than 0, such as 1m.');
  return timeout;
}

/** Adds `-m`, `--timeout`, `--dry-run` and `--yes`. */
export function addApplyOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '-m, --mode <mode>',
        'when the configuration takes effect: at once, at the next boot (staged) or for a limited time (try)',
      )
        .choices(Object.keys(modes))
        .default('auto')
        .argParser(parseMode),
    )
    .addOption(
      new Option('--timeout <duration>', 'with -m try: time after which the node reverts the configuration')
        .argParser(parseTimeout)
        .default(parseTimeout(defaultTimeout), defaultTimeout),
    )
    .option('--dry-run', 'only print what would change', false)
    .option(
      '-y, --yes',
      'send a configuration of another cluster or machine type, or without the called address, without asking',
      false,
    );
}

/** The response of a node that has accepted a configuration. */
export interface Applied {
  /** The mode that the node used. */
  readonly mode: string;
  /** Text for the user; in a dry run it contains the diff. */
  readonly details: string;
  readonly warnings: readonly string[];
  /** Addresses that the node has now, and not with the configuration. Empty from nodes that do not say it. */
  readonly lostAddresses: readonly string[];
}

/** Sends a machine configuration to a node. @throws Fault `deadline-exceeded` when the node has not answered in five minutes */
export async function applyConfiguration(
  node: NodeClient,
  text: string,
  { mode, timeout, dryRun }: ApplyOptions,
  signal: AbortSignal,
): Promise<Applied> {
  const request = {
    data: Buffer.from(text),
    mode: modes[mode],
    dryRun,
    tryModeTimeout: protobufDuration(timeout),
  };
  using limit = new CommandLimit(applyNanos, signal);
  const sent = node.machine.applyConfiguration(request, { signal: limit.signal });
  const reply = onlyMessage(await limit.guard(sent));
  const known = (Object.keys(modes) as ModeName[]).find((name) => modes[name] === reply.mode);
  const { modeDetails: details, warnings, lostAddresses } = reply;
  return { mode: known ?? 'reboot', details, warnings, lostAddresses };
}
