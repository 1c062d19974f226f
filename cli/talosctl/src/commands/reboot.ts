import { RebootRequest_Mode as Mode } from '@nodewright/contract/gen/machine/machine.ts';
import { InvalidArgumentError } from 'commander';
import { type ActionOptions, addActionOptions, parseProgress } from '../action/action-options.ts';
import { bootIdChanged } from '../action/boot-id.ts';
import { describeEffect } from '../action/node-effect.ts';
import { runNodeAction } from '../action/run-node-action.ts';
import type { CommandModule } from '../command-module.ts';
import { UsageFault } from '../failure.ts';
import { parseGoDuration } from '../go-duration.ts';
import { onlyMessage } from '../only-message.ts';

interface RebootOptions extends ActionOptions {
  readonly mode: Mode;
  readonly drain?: boolean;
}

const modes: Readonly<Record<string, Mode>> = {
  default: Mode.DEFAULT,
  powercycle: Mode.POWERCYCLE,
  force: Mode.FORCE,
};

function parseMode(text: string): Mode {
  const mode = Object.hasOwn(modes, text.toLowerCase()) ? modes[text.toLowerCase()] : undefined;
  if (mode === undefined) throw new InvalidArgumentError('It must be default, powercycle or force.');
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
          .default(Mode.DEFAULT, 'default'),
      )
      .option('--drain', 'drain the Kubernetes node first; implies --wait (not implemented)')
      .option('--drain-timeout <duration>', 'timeout for draining the node', parseGoDuration)
      .option('--progress <kind>', 'auto, or plain: lines without colours', parseProgress, 'auto')
      .action(({ mode, drain, ...options }: RebootOptions) => {
        if (drain)
          throw new UsageFault('flag --drain is not implemented: this program cannot talk to Kubernetes');
        const forced = mode === Mode.FORCE ? ', without stopping its services first' : '';
        return runNodeAction(env, options, {
          verb: 'reboot',
          effect: (client, signal) => describeEffect(client, { what: `reboots${forced}` }, signal),
          action: {
            sequence: 'reboot',
            start: async ({ machine }, signal) =>
              onlyMessage(await machine.reboot({ mode }, { signal })).actorId,
            isMet: (event) => event.kind === 'status' && event.stage === 'RUNNING' && event.ready,
            postCheck: bootIdChanged,
          },
        });
      });
  },
};
