import { type ActionOptions, addActionOptions } from '../action/action-options.ts';
import { shutdownAction } from '../action/node-actions.ts';
import { runNodeAction } from '../action/run-node-action.ts';
import type { CommandModule } from '../context/command-module.ts';

interface ShutdownOptions extends ActionOptions {
  readonly force?: boolean;
}

/** `talosctl shutdown`. Source: Talos v1.14: shutdown. */
export const shutdownCommand: CommandModule = {
  define(command, env) {
    addActionOptions(command)
      .option('--force', 'neither cordon nor drain the Kubernetes node first')
      .action(({ force = false, ...options }: ShutdownOptions) =>
        runNodeAction(env, options, { verb: 'shutdown', ...shutdownAction(force) }),
      );
  },
};
