import type { MemInfo, Memory } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import type { CommandModule } from '../context/command-module.ts';
import {
  addInsecureOptions,
  addNodeOptions,
  addOutputOption,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { onlyMessage } from '../nodes/only-message.ts';
import { reportNodeTexts } from '../nodes/report-node-texts.ts';
import { type NodeReport, reportNodes } from '../nodes/report-nodes.ts';
import { memoryFields } from './memory-fields.ts';

const kibInMib = 1024n;

function memInfo({ meminfo }: Memory): MemInfo {
  if (meminfo === undefined) throw new Fault('internal', 'the reply contains no meminfo');
  return meminfo;
}

const report: NodeReport<MemInfo> = {
  call: async (node, signal) => memInfo(onlyMessage(await node.machine.memory({}, { signal }))),
  header: ['NODE', 'TOTAL', 'USED', 'FREE', 'SHARED', 'BUFFERS', 'CACHE', 'AVAILABLE'],
  headerWithoutRows: true,
  flushWhenIdle: true,
  rows(node, memory) {
    const used = memory.memtotal - memory.memfree - memory.cached - memory.buffers;
    const columns = [
      memory.memtotal,
      used,
      memory.memfree,
      memory.shmem,
      memory.buffers,
      memory.cached,
      memory.memavailable,
    ];
    return [[node, ...columns.map((kib) => String(kib / kibInMib))]];
  },
  document: (meminfo) => ({ meminfo }),
};

/** `talosctl memory`: one row per node in MiB, or with `-v` every field in KiB. Source: Talos v1.14: memory. */
export const memoryCommand: CommandModule = {
  define(command, env) {
    addOutputOption(addInsecureOptions(addNodeOptions(command)))
      .option('-v, --verbose', 'show every field of the memory information')
      .action(async (options: NodeOptions & OutputOptions & { verbose?: boolean }) => {
        if (!options.verbose || options.output !== 'table') return reportNodes(env, options, report);
        return reportNodeTexts(env, options, report.call, (node, memory) => verboseText(node, memory));
      });
  },
};

function verboseText(node: string, memory: MemInfo): string {
  const lines = memoryFields.map(
    ({ label, field, isCount }) => `${label}: ${memory[field]}${isCount ? '' : ' kB'}`,
  );
  return [`NODE: ${node}`, ...lines, ''].join('\n');
}
