import type { CommandModule } from '../context/command-module.ts';
import {
  addContainerOptions,
  type ContainerOptions,
  containerInstance,
} from '../nodes/container-instance.ts';
import { addNodeOptions, addOutputOption } from '../nodes/node-options.ts';
import { reportDone } from '../nodes/report-done.ts';

/** `talosctl restart <id>`: restarts a container. Source: Talos v1.14: restart. */
export const restartCommand: CommandModule = {
  define(command, env) {
    addContainerOptions(addOutputOption(addNodeOptions(command)))
      .argument('<id>', 'id of a container, as "talosctl containers" shows it')
      .action((id: string, options: ContainerOptions) =>
        reportDone(env, options, async ({ machine }, signal) => {
          await machine.restart({ id, ...containerInstance(options) }, { signal });
          return { id };
        }),
      );
  },
};
