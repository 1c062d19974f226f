import type { Stat } from '@nodewright/contract/gen/machine/machine.ts';
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

const bytesInMb = 1e6;

/** `talosctl stats`: prints the memory and CPU time of the containers of each node. Source: Talos v1.14: stats. */
export const statsCommand: CommandModule = {
  define(command, env) {
    addContainerOptions(addOutputOption(addNodeOptions(command))).action((options: ContainerOptions) =>
      reportNodes<readonly Stat[]>(env, options, {
        call: async ({ machine }, signal) =>
          onlyMessage(await machine.stats(containerInstance(options), { signal })).stats,
        header: ['NODE', 'NAMESPACE', 'ID', 'MEMORY(MB)', 'CPU'],
        headerWithoutRows: true,
        flushWhenIdle: false,
        rows: (node, stats) =>
          sortedById(stats).map((each) => [
            ...[node, each.namespace, containerLabel(each)],
            ...[(Number(each.memoryUsage) / bytesInMb).toFixed(2), String(each.cpuUsage)],
          ]),
        document: (stats) => ({ stats: sortedById(stats) }),
      }),
    );
  },
};
