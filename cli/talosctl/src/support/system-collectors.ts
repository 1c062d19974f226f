import { NetstatRequest_Filter, type ProcessInfo } from '@nodewright/contract/gen/machine/machine.ts';
import { dependencyFromEdge } from '../inspect/dependency.ts';
import { dependencyDot } from '../inspect/dependency-dot.ts';
import { onlyMessage } from '../nodes/only-message.ts';
import { formatTimestamp } from '../render/go-time.ts';
import { formatJson } from '../render/json.ts';
import { processCommandLine } from '../render/process-command-line.ts';
import { versionBlock } from '../render/version-block.ts';
import { socketCells, socketTitles } from '../values/netstat-columns.ts';
import { netstatRequest } from '../values/netstat-request.ts';
import {
  type CollectContext,
  type Collector,
  tableText,
  textCollector,
  withoutSecrets,
} from './collector.ts';
import { recordedFiles } from './recorded-call.ts';

const json = (value: object) => `${formatJson(value)}\n`;

function processRow(process: ProcessInfo): string[] {
  const { pid, ppid, state, threads, cpuTime, virtualMemory, residentMemory, label } = process;
  return [
    ...[String(pid), String(ppid), state, String(threads), cpuTime.toFixed(2)],
    ...[String(virtualMemory), String(residentMemory), label, processCommandLine(process)],
  ];
}

const diskColumns = [
  ...(['name', 'readCompleted', 'readSectors', 'readTimeMs', 'writeCompleted', 'writeSectors'] as const),
  ...(['writeTimeMs', 'ioInProgress', 'ioTimeMs', 'ioTimeWeightedMs', 'discardSectors'] as const),
];

/** The state of a node except its logs and resources. Source: Talos v1.14: support bundle. */
export const systemCollectors: readonly Collector[] = [
  textCollector('summary', async ({ node, signal }) => {
    const { version, platform, features } = onlyMessage(await node.machine.version({}, { signal }));
    return [
      version === undefined ? '' : versionBlock(version).replaceAll(/^\t/gm, ''),
      `Platform:    ${platform?.name ?? ''} (${platform?.mode ?? ''})\n`,
      `RBAC:        ${features?.rbac ?? false}\n`,
    ].join('');
  }),
  {
    path: 'dmesg.log',
    collect: ({ node, signal, secrets }) =>
      withoutSecrets(node.machine.dmesg({ follow: false, tail: false }, { signal }), secrets),
  },
  textCollector('dependencies.dot', async ({ node, signal }) => {
    const { edges } = onlyMessage(await node.inspect.controllerRuntimeDependencies({}, { signal }));
    return dependencyDot(edges.map(dependencyFromEdge));
  }),
  textCollector('mounts', async ({ node, signal }) => {
    const { stats } = onlyMessage(await node.machine.mounts({}, { signal }));
    const rows = stats.map(({ filesystem, size, available, mountedOn }) => [
      ...[filesystem, String(size), String(available), mountedOn],
    ]);
    return tableText([['FILESYSTEM', 'SIZE(B)', 'AVAILABLE(B)', 'MOUNTED ON'], ...rows]);
  }),
  ...Object.entries(recordedFiles).map(([path, name]) => ({
    path: name,
    collect: ({ node, signal, secrets }: CollectContext) =>
      withoutSecrets(node.machine.read({ path }, { signal }), secrets),
  })),
  textCollector('io', async ({ node, signal }) => {
    const { devices } = onlyMessage(await node.machine.diskStats({}, { signal }));
    const titles = diskColumns.map((column) => column.replaceAll(/[A-Z]/g, ' $&').toUpperCase());
    return tableText([titles, ...devices.map((device) => diskColumns.map((key) => String(device[key])))]);
  }),
  textCollector('processes', async ({ node, signal }) => {
    const { processes } = onlyMessage(await node.machine.processes({}, { signal }));
    const titles = [
      'PID',
      'PPID',
      'STATE',
      'THREADS',
      'CPU-TIME',
      'VIRTMEM(B)',
      'RESMEM(B)',
      'LABEL',
      'COMMAND',
    ];
    return tableText([titles, ...processes.toSorted((a, b) => a.pid - b.pid).map(processRow)]);
  }),
  textCollector('netstat', async ({ node, signal }) => {
    const flags = { all: true, verbose: true, extend: true, programs: true, timers: true };
    const request = { ...netstatRequest(flags), filter: NetstatRequest_Filter.ALL };
    const { connectrecord } = onlyMessage(await node.machine.netstat(request, { signal }));
    return tableText([socketTitles(flags), ...connectrecord.map((one) => socketCells(one, flags, () => ''))]);
  }),
  textCollector('time.json', async ({ node, signal }) => {
    const { server, localtime, remotetime } = onlyMessage(await node.time.time({}, { signal }));
    return json({ server, localtime: formatTimestamp(localtime), remotetime: formatTimestamp(remotetime) });
  }),
  textCollector('memory.json', async ({ node, signal }) =>
    json(onlyMessage(await node.machine.memory({}, { signal })).meminfo ?? {}),
  ),
  textCollector('load.json', async ({ node, signal }) => {
    const { load1, load5, load15 } = onlyMessage(await node.machine.loadAvg({}, { signal }));
    return json({ load1, load5, load15 });
  }),
  textCollector('cpu.json', async ({ node, signal }) =>
    json(onlyMessage(await node.machine.cPUInfo({}, { signal })).cpuInfo),
  ),
  textCollector('system-stat.json', async ({ node, signal }) => {
    const { metadata: _, ...statistics } = onlyMessage(await node.machine.systemStat({}, { signal }));
    return json(statistics);
  }),
  textCollector('network-devices.json', async ({ node, signal }) =>
    json(onlyMessage(await node.machine.networkDeviceStats({}, { signal })).devices),
  ),
];
