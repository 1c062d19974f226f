import { InvalidArgumentError } from 'commander';
import { type ActionOptions, addActionOptions } from '../action/action-options.ts';
import { clearedDisks } from '../action/cleared-disks.ts';
import { isWipeMode, resetAction, type WipeModeName } from '../action/node-actions.ts';
import { runNodeAction } from '../action/run-node-action.ts';
import type { CommandModule } from '../context/command-module.ts';
import { collectList } from '../nodes/node-options.ts';

interface ResetOptions extends ActionOptions {
  readonly graceful: boolean;
  readonly reboot?: boolean;
  readonly wipeMode: WipeModeName;
  readonly systemLabelsToWipe?: readonly string[];
  readonly userDisksToWipe?: readonly string[];
}

function parseWipeMode(text: string): WipeModeName {
  if (!isWipeMode(text)) throw new InvalidArgumentError('It must be all, system-disk or user-disks.');
  return text;
}

/** `talosctl reset`. Source: Talos v1.14: reset. */
export const resetCommand: CommandModule = {
  define(command, env) {
    addActionOptions(command)
      .option('--graceful', 'leave etcd and the cluster first', true)
      .option('--no-graceful', 'do not leave the cluster first')
      .option('--reboot', 'reboot at the end instead of shutting down')
      .addOption(
        command
          .createOption('--wipe-mode <mode>', 'all, system-disk or user-disks')
          .argParser(parseWipeMode)
          .default('all'),
      )
      .option(
        '--system-labels-to-wipe <labels>',
        'wipe only these system volumes, such as EPHEMERAL',
        collectList,
      )
      .option('--user-disks-to-wipe <devices>', 'user disks to wipe as well', collectList)
      .action((options: ResetOptions) => {
        const { graceful, reboot = false, wipeMode } = options;
        const { systemLabelsToWipe: labels = [], userDisksToWipe: userDisks = [] } = options;
        const isWhole = labels.length === 0 && wipeMode !== 'user-disks';
        return runNodeAction(env, options, {
          verb: 'reset',
          destroys: true,
          ...resetAction({ graceful, reboot, wipeMode, labels, userDisks }),
          ...(isWhole ? { moreLines: clearedDisks } : {}),
        });
      });
  },
};
