import type { ProcessInfo } from '@nodewright/contract/gen/machine/machine.ts';
import { Option } from 'commander';
import type { CommandModule } from '../context/command-module.ts';
import {
  addNodeOptions,
  addOutputOption,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { onlyMessage } from '../nodes/only-message.ts';
import { type NodeReport, reportNodes } from '../nodes/report-nodes.ts';
import { processCommandLine } from '../render/process-command-line.ts';
import { formatDecimalSize } from '../render/size.ts';

const orders = {
  rss: (a: ProcessInfo, b: ProcessInfo) => Number(b.residentMemory - a.residentMemory),
  cpu: (a: ProcessInfo, b: ProcessInfo) => b.cpuTime - a.cpuTime,
};

function processRow(node: string, process: ProcessInfo): string[] {
  return [
    node,
    String(process.pid),
    process.state,
    String(process.threads),
    process.cpuTime.toFixed(2),
    formatDecimalSize(process.virtualMemory),
    formatDecimalSize(process.residentMemory),
    process.label,
    processCommandLine(process),
  ];
}

function processReport(
  order: (a: ProcessInfo, b: ProcessInfo) => number,
): NodeReport<readonly ProcessInfo[]> {
  return {
    call: async (node, signal) =>
      onlyMessage(await node.machine.processes({}, { signal })).processes.toSorted(order),
    header: ['NODE', 'PID', 'STATE', 'THREADS', 'CPU-TIME', 'VIRTMEM', 'RESMEM', 'LABEL', 'COMMAND'],
    headerWithoutRows: true,
    flushWhenIdle: true,
    rows: (node, processes) => processes.map((process) => processRow(node, process)),
    document: (processes) => ({ processes }),
  };
}

/** `talosctl processes`. Source: Talos v1.14: processes. */
export const processesCommand: CommandModule = {
  define(command, env) {
    addOutputOption(addNodeOptions(command))
      .addOption(
        new Option('-s, --sort <column>', 'column to sort by, highest first: rss or cpu')
          .choices(Object.keys(orders))
          .default('rss'),
      )
      .action((options: NodeOptions & OutputOptions & { sort: keyof typeof orders }) =>
        reportNodes(env, options, processReport(orders[options.sort])),
      );
  },
};
