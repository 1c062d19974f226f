import { InvalidArgumentError } from 'commander';
import { type ActionOptions, addActionOptions, parseProgress } from '../action/action-options.ts';
import { isRebootMode, type RebootModeName, rebootAction } from '../action/node-actions.ts';
import { runNodeAction } from '../action/run-node-action.ts';
import type { CommandModule } from '../command-module.ts';
import { UsageFault } from '../failure.ts';
import { parseGoDuration } from '../go-duration.ts';

interface RebootOptions extends ActionOptions {
  readonly mode: RebootModeName;
  readonly drain?: boolean;
}

function parseMode(text: string): RebootModeName {
  const mode = text.toLowerCase();
  if (!isRebootMode(mode)) throw new InvalidArgumentError('It must be default, powercycle or force.');
  return mode;
}

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
      .option('--drain', 'drain the Kubernetes node first; implies --wait (not implemented)')
      .option('--drain-timeout <duration>', 'timeout for draining the node', parseGoDuration)
      .option('--progress <kind>', 'auto, or plain: lines without colours', parseProgress, 'auto')
      .action(({ mode, drain, ...options }: RebootOptions) => {
        if (drain)
          throw new UsageFault('flag --drain is not implemented: this program cannot talk to Kubernetes');
        return runNodeAction(env, options, { verb: 'reboot', ...rebootAction(mode) });
      });
  },
};
