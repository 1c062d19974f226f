import type { MountStat } from '@nodewright/contract/gen/machine/machine.ts';
import type { CommandModule } from '../context/command-module.ts';
import {
  addNodeOptions,
  addOutputOption,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { onlyMessage } from '../nodes/only-message.ts';
import { type NodeReport, reportNodes } from '../nodes/report-nodes.ts';

function gigabytes(bytes: bigint): string {
  return (Number(bytes) * 1e-9).toFixed(2);
}

function mountRow(node: string, { filesystem, size, available, mountedOn }: MountStat): string[] {
  const percentUsed = 100 - (100 * Number(available)) / Number(size);
  return [
    node,
    filesystem,
    gigabytes(size),
    gigabytes(size - available),
    gigabytes(available),
    `${percentUsed.toFixed(2)}%`,
    mountedOn,
  ];
}

const report: NodeReport<readonly MountStat[]> = {
  call: async (node, signal) => onlyMessage(await node.machine.mounts({}, { signal })).stats,
  header: ['NODE', 'FILESYSTEM', 'SIZE(GB)', 'USED(GB)', 'AVAILABLE(GB)', 'PERCENT USED', 'MOUNTED ON'],
  headerWithoutRows: true,
  flushWhenIdle: true,
  // Leave out file systems of size 0, such as proc and cgroups.
  rows: (node, mounts) => mounts.filter(({ size }) => size > 0n).map((mount) => mountRow(node, mount)),
  document: (mounts) => ({ mounts }),
};

/** `talosctl mounts`. Source: Talos v1.14: mounts. */
export const mountsCommand: CommandModule = {
  define(command, env) {
    addOutputOption(addNodeOptions(command)).action((options: NodeOptions & OutputOptions) =>
      reportNodes(env, options, report),
    );
  },
};
