import { ResetRequest_WipeMode as WipeMode } from '@nodewright/contract/gen/machine/machine.ts';
import { InvalidArgumentError } from 'commander';
import { type ActionOptions, addActionOptions } from '../action/action-options.ts';
import { clearedDisks } from '../action/cleared-disks.ts';
import { maintenanceCheck } from '../action/maintenance-check.ts';
import { describeEffect } from '../action/node-effect.ts';
import { runNodeAction } from '../action/run-node-action.ts';
import { isStoppingServices } from '../action/stopping-services.ts';
import type { CommandModule } from '../command-module.ts';
import { collectList } from '../node-options.ts';
import { onlyMessage } from '../only-message.ts';

interface ResetOptions extends ActionOptions {
  readonly graceful: boolean;
  readonly reboot?: boolean;
  readonly wipeMode: WipeMode;
  readonly systemLabelsToWipe?: readonly string[];
  readonly userDisksToWipe?: readonly string[];
}

const wipeModes: Readonly<Record<string, WipeMode>> = {
  all: WipeMode.ALL,
  'system-disk': WipeMode.SYSTEM_DISK,
  'user-disks': WipeMode.USER_DISKS,
};

function parseWipeMode(text: string): WipeMode {
  const mode = Object.hasOwn(wipeModes, text) ? wipeModes[text] : undefined;
  if (mode === undefined) throw new InvalidArgumentError('It must be all, system-disk or user-disks.');
  return mode;
}

/** Describes the effect of the reset, for the question that the user must confirm. */
function effectText({ wipeMode, systemLabelsToWipe: labels = [], ...options }: ResetOptions): string {
  const { graceful, reboot, userDisksToWipe: disks = [] } = options;
  const system =
    labels.length === 0 ? 'its configuration, its identity and all of its data' : labels.join(', ');
  const wiped = [...(wipeMode === WipeMode.USER_DISKS ? [] : [system]), ...disks].join(', ');
  const leave = graceful ? 'leaves the cluster' : 'does not leave the cluster first';
  const wipes = wiped === '' ? 'loses nothing' : `loses ${wiped} for good`;
  return `${leave}, ${wipes}, and ${reboot ? 'reboots' : 'stays down'}`;
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
          .default(WipeMode.ALL, 'all'),
      )
      .option(
        '--system-labels-to-wipe <labels>',
        'wipe only these system volumes, such as EPHEMERAL',
        collectList,
      )
      .option('--user-disks-to-wipe <devices>', 'user disks to wipe as well', collectList)
      .action((options: ResetOptions) => {
        const { graceful, reboot = false, wipeMode: mode } = options;
        const { systemLabelsToWipe: labels = [], userDisksToWipe = [] } = options;
        const request = {
          ...{ graceful, reboot, mode },
          systemPartitionsToWipe: labels.map((label) => ({ label, wipe: true })),
          userDisksToWipe: [...userDisksToWipe],
        };
        return runNodeAction(env, options, {
          verb: 'reset',
          destroys: true,
          async effect(client, signal) {
            const what = effectText(options);
            const effect = await describeEffect(client, { what, leavesEtcd: graceful }, signal);
            if (labels.length > 0 || mode === WipeMode.USER_DISKS) return effect;
            const cleared = await clearedDisks(client, signal);
            return { ...effect, lines: [...effect.lines, ...cleared.map((line) => `  ${line}`)] };
          },
          action: {
            sequence: 'reset',
            start: async ({ machine }, signal) =>
              onlyMessage(await machine.reset(request, { signal })).actorId,
            isMet: isStoppingServices,
            ...(reboot ? { postCheck: maintenanceCheck() } : {}),
          },
        });
      });
  },
};
