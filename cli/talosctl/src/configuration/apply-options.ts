import type { NodeClient } from '@nodewright/client';
import { ApplyConfigurationRequest_Mode as Mode } from '@nodewright/contract/gen/machine/machine.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { acceptBooleanValues } from '../commands/gen/accept-boolean-values.ts';
import { parseGoDuration, protobufDuration } from '../go-duration.ts';
import { onlyMessage } from '../only-message.ts';

/** The modes by the words of `-m`. Source: Talos v1.14: apply-config. */
const modes = { auto: Mode.AUTO, 'no-reboot': Mode.NO_REBOOT, staged: Mode.STAGED, try: Mode.TRY } as const;

export type ModeName = keyof typeof modes;

/** Options of every command that sends a machine configuration. */
export interface ApplyOptions {
  readonly mode: ModeName;
  /** Nanoseconds until `try` is taken back. */
  readonly timeout: bigint;
  readonly dryRun: boolean;
}

const defaultTimeout = '1m0s';

function parseMode(text: string): ModeName {
  if (Object.hasOwn(modes, text)) return text as ModeName;
  if (text === 'reboot') {
    throw new InvalidArgumentError(
      'Nodes reboot for a configuration no more: use auto, or staged and "talosctl reboot".',
    );
  }
  throw new InvalidArgumentError(`It must be one of ${Object.keys(modes).join(', ')}.`);
}

function parseTimeout(text: string): bigint {
  const timeout = parseGoDuration(text);
  if (timeout <= 0n) throw new InvalidArgumentError('It must be longer than nothing, such as 1m.');
  return timeout;
}

/** Adds `-m`, `--timeout` and `--dry-run`. */
export function addApplyOptions(command: Command): Command {
  return acceptBooleanValues(command)
    .addOption(
      new Option(
        '-m, --mode <mode>',
        'when it takes effect: at once, with staged at the next boot, with try for a time',
      )
        .choices(Object.keys(modes))
        .default('auto')
        .argParser(parseMode),
    )
    .addOption(
      new Option('--timeout <duration>', 'with -m try: after this time the node takes it back')
        .argParser(parseTimeout)
        .default(parseTimeout(defaultTimeout), defaultTimeout),
    )
    .option('--dry-run', 'change nothing, say what would change', false);
}

/** What a node says of a configuration that it has taken. */
export interface Applied {
  /** The mode in effect. */
  readonly mode: string;
  /** Sentences for people, and with a dry run the difference. */
  readonly details: string;
  readonly warnings: readonly string[];
}

/** Sends a machine configuration to a node. */
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
  const reply = onlyMessage(await node.machine.applyConfiguration(request, { signal }));
  const known = (Object.keys(modes) as ModeName[]).find((name) => modes[name] === reply.mode);
  return { mode: known ?? 'reboot', details: reply.modeDetails, warnings: reply.warnings };
}
