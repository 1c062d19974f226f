import { type Command, InvalidArgumentError } from 'commander';
import {
  addNodeOptions,
  addOutputOption,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { parseGoDuration } from '../values/go-duration.ts';

/** Options of commands that start an action, which continues after the node has answered. */
export interface ActionOptions extends NodeOptions, OutputOptions {
  readonly wait: boolean;
  readonly debug?: boolean;
  /** Nanoseconds. */
  readonly timeout: bigint;
  readonly yes?: boolean;
  readonly progress?: 'auto' | 'plain';
  readonly dryRun?: boolean;
}

/** Source: Talos v1.14: lifecycle commands, tracking flags. */
const defaultTimeout = '30m0s';
const defaultTimeoutNanos = 1800n * 1_000_000_000n;

/** Adds these options and the options for nodes and output. */
export function addActionOptions(command: Command): Command {
  const timeout = command
    .createOption('--timeout <duration>', 'how long the command may take, without the time at its question')
    .argParser(parseGoDuration);
  return addOutputOption(addNodeOptions(command))
    .option('--wait', 'wait until the action is done and show its progress', true)
    .option('--no-wait', 'do not wait until the action is done')
    .option('--debug', 'print the kernel log of nodes that fail; implies --wait')
    .addOption(timeout.default(defaultTimeoutNanos, defaultTimeout))
    .option(
      '--dry-run',
      'only print what would happen: the quorum of etcd, what stops, and what would refuse it',
    )
    .option('-y, --yes', 'do not ask for confirmation');
}

export function parseProgress(text: string): 'auto' | 'plain' {
  if (text === 'auto' || text === 'plain') return text;
  throw new InvalidArgumentError('It must be auto or plain.');
}
