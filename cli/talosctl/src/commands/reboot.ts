import { InvalidArgumentError } from 'commander';
import { type ActionOptions, addActionOptions, parseProgress } from '../action/action-options.ts';
import { isRebootMode, type RebootModeName, rebootAction } from '../action/node-actions.ts';
import { openDrain } from '../action/open-drain.ts';
import { type ActionCommand, runNodeAction } from '../action/run-node-action.ts';
import type { CommandModule } from '../context/command-module.ts';
import { parseGoDuration } from '../values/go-duration.ts';

interface RebootOptions extends ActionOptions {
  readonly mode: RebootModeName;
  readonly drain?: boolean;
  /** Nanoseconds. */
  readonly drainTimeout: bigint;
}

function parseMode(text: string): RebootModeName {
  const mode = text.toLowerCase();
  if (!isRebootMode(mode)) throw new InvalidArgumentError('It must be default, powercycle or force.');
  return mode;
}

const defaultDrainTimeoutNanos = 300n * 1_000_000_000n;

const drainFirst = (timeoutMs: number): Pick<ActionCommand, 'openDrain' | 'moreLines'> => ({
  openDrain: (client, signal) => openDrain(client, timeoutMs, signal),
  moreLines: async () => [`pods are evicted first, for at most ${timeoutMs / 1000} s`],
});

/** `talosctl reboot`. Source: Talos v1.14: reboot. */
export const rebootCommand: CommandModule = {
  define(command, env) {
    addActionOptions(command)
      .addOption(
        command
          .createOption(
            '-m, --mode <mode>',
            'default, powercycle (through the firmware) or force (without stopping services first)',
          )
          .argParser(parseMode)
          .default('default'),
      )
      .option(
        '--drain',
        'cordon the Kubernetes node and evict its pods first, and uncordon it when it is Ready again; implies --wait',
      )
      .addOption(
        command
          .createOption('--drain-timeout <duration>', 'how long the pods may take to leave')
          .argParser(parseGoDuration)
          .default(defaultDrainTimeoutNanos, '5m0s'),
      )
      .option('--progress <kind>', 'auto, or plain: lines without colours', parseProgress, 'auto')
      .action(({ mode, drain, drainTimeout, ...options }: RebootOptions) =>
        runNodeAction(env, options, {
          ...{ verb: 'reboot', ...rebootAction(mode) },
          ...(drain && drainFirst(Number(drainTimeout / 1_000_000n))),
        }),
      );
  },
};
