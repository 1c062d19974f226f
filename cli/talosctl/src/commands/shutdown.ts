import { type ActionOptions, addActionOptions } from '../action/action-options.ts';
import { describeEffect } from '../action/node-effect.ts';
import { runNodeAction } from '../action/run-node-action.ts';
import { isStoppingServices } from '../action/stopping-services.ts';
import type { CommandModule } from '../command-module.ts';
import { onlyMessage } from '../only-message.ts';

interface ShutdownOptions extends ActionOptions {
  readonly force?: boolean;
}

/** `talosctl shutdown`. Source: Talos v1.14: shutdown. */
export const shutdownCommand: CommandModule = {
  define(command, env) {
    addActionOptions(command)
      .option('--force', 'neither cordon nor drain the Kubernetes node first')
      .action(({ force = false, ...options }: ShutdownOptions) =>
        runNodeAction(env, options, {
          verb: 'shutdown',
          effect: (client, signal) =>
            describeEffect(client, { what: 'shuts down, and stays off until it is started by hand' }, signal),
          action: {
            sequence: 'shutdown',
            start: async ({ machine }, signal) =>
              onlyMessage(await machine.shutdown({ force }, { signal })).actorId,
            isMet: isStoppingServices,
          },
        }),
      );
  },
};
