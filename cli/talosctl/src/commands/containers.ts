import type { ContainerInfo } from '@nodewright/contract/gen/machine/machine.ts';
import type { CommandModule } from '../context/command-module.ts';
import {
  addContainerOptions,
  type ContainerOptions,
  containerInstance,
  containerLabel,
  sortedById,
} from '../nodes/container-instance.ts';
import { addNodeOptions, addOutputOption } from '../nodes/node-options.ts';
import { onlyMessage } from '../nodes/only-message.ts';
import { reportNodes } from '../nodes/report-nodes.ts';

/** `talosctl containers`: lists the containers of each node. Source: Talos v1.14: containers. */
export const containersCommand: CommandModule = {
  define(command, env) {
    addContainerOptions(addOutputOption(addNodeOptions(command))).action((options: ContainerOptions) =>
      reportNodes<readonly ContainerInfo[]>(env, options, {
        call: async ({ machine }, signal) =>
          onlyMessage(await machine.containers(containerInstance(options), { signal })).containers,
        header: ['NODE', 'NAMESPACE', 'ID', 'IMAGE', 'PID', 'STATUS'],
        headerWithoutRows: true,
        flushWhenIdle: false,
        rows: (node, containers) =>
          sortedById(containers).map((each) => [
            ...[node, each.namespace, containerLabel(each), each.image, String(each.pid), each.status],
          ]),
        document: (containers) => ({ containers: sortedById(containers) }),
      }),
    );
  },
};
