import { processCommandLine } from '../../commands/processes.ts';
import { type DashboardModel, type NodeModel, shownNode } from '../model/model.ts';
import {
  cpuUsage,
  diskRates,
  memoryShare,
  networkRates,
  processUsages,
  type Sample,
} from '../model/sample.ts';
import { besides, type Frame, type Line, line, span } from '../screen/frame.ts';
import { terminalText } from '../screen/terminal-text.ts';
import { alarm, bar, heading, sparkline, table, windowOf } from '../screen/widgets.ts';
import { percentText, rateText, shortSize } from './figures.ts';
import { nodeHead } from './summary-view.ts';

function systemLines({ sample, before, history }: NodeModel, width: number): Line[] {
  const usage = cpuUsage(sample?.system?.cpuTotal, before?.system?.cpuTotal);
  const room = Math.max(8, width - 13);
  const { memory, system } = sample ?? {};
  const kib = (amount: bigint | undefined) => (amount === undefined ? '-' : shortSize(amount * 1024n));
  const share = memoryShare(memory);
  return [
    line(
      span(' CPU ', 'dim'),
      sparkline(history.cpu, room, 1),
      span(` ${percentText(usage?.total).padStart(5)}`, alarm(usage?.total ?? 0)),
    ),
    line(
      span(
        ` user ${percentText(usage?.user)} sys ${percentText(usage?.system)} wait ${percentText(usage?.waiting)} steal ${percentText(usage?.stolen)}`,
      ),
    ),
    line(
      span(' MEM ', 'dim'),
      sparkline(history.memory, room, 1),
      span(` ${percentText(share).padStart(5)}`, alarm(share ?? 0)),
    ),
    line(
      ` free ${kib(memory?.memfree)} cache ${kib(memory?.cached)} swap ${kib(memory === undefined ? undefined : memory.swaptotal - memory.swapfree)}/${kib(memory?.swaptotal)}`,
    ),
    line(
      ` running ${system?.processRunning ?? '-'} blocked ${system?.processBlocked ?? '-'} procs ${sample?.processes?.length ?? '-'}`,
    ),
  ];
}

function deviceTables(
  sample: Sample | undefined,
  before: Sample | undefined,
  width: number,
  rows: number,
): Frame {
  if (sample === undefined) return [];
  const disks = diskRates(sample, before).slice(0, Math.max(1, Math.floor(rows / 2) - 1));
  const interfaces = networkRates(sample, before).slice(0, Math.max(1, rows - disks.length - 2));
  return [
    ...table(
      [
        { title: ' INTERFACE', most: 16 },
        { title: 'IN', side: 'right' },
        { title: 'OUT', side: 'right' },
        { title: 'ERRORS' },
      ],
      interfaces.map(({ name, inRate, outRate, errors }) => [
        ...[` ${name}`, rateText(inRate).padStart(7), rateText(outRate).padStart(7)],
        span(String(errors), errors > 0 ? 'warning' : 'plain'),
      ]),
      width,
    ),
    ...table(
      [
        { title: ' DISK     ', most: 16 },
        { title: 'READ', side: 'right' },
        { title: 'WRITE', side: 'right' },
        { title: 'BUSY' },
      ],
      disks.map(({ name, inRate, outRate, busy }) => [
        ...[` ${name}`, rateText(inRate).padStart(7), rateText(outRate).padStart(7)],
        span(percentText(busy), alarm(busy ?? 0)),
      ]),
      width,
    ),
  ];
}

function processLines(model: DashboardModel, node: NodeModel, width: number, rows: number): Frame {
  const { sample, before } = node;
  if (sample?.processes === undefined) return [line(span(' not told by this node', 'dim'))];
  const usages = processUsages(sample, before, model.order);
  const from = windowOf(usages.length, rows - 1, model.processAt);
  const columns = [
    ...[
      { title: '    PID', side: 'right' as const },
      { title: 'S' },
      { title: '  CPU%', side: 'right' as const },
    ],
    ...[
      { title: '  RSS', side: 'right' as const },
      { title: 'THR', side: 'right' as const },
      { title: 'COMMAND', most: 2000 },
    ],
  ];
  const cells = usages
    .slice(from, from + rows - 1)
    .map(({ process, cpu }, at) => [
      String(process.pid),
      process.state.slice(0, 1),
      cpu === undefined ? '-' : (cpu * 100).toFixed(1),
      shortSize(process.residentMemory),
      String(process.threads),
      span(
        processCommandLine({ ...process, args: terminalText(process.args) }),
        from + at === model.processAt ? 'accent' : 'plain',
      ),
    ]);
  return table(columns, cells, width);
}

/** The load of each processor, for as many as fit. */
function processorLines({ sample, before }: NodeModel, width: number, rows: number): Line[] {
  const cells = (sample?.system?.cpu ?? []).map((now, at) => {
    const share = cpuUsage(now, before?.system?.cpu[at])?.total;
    return [
      span(` ${String(at).padStart(3)} `, 'dim'),
      ...bar(share, 6),
      span(` ${percentText(share).padStart(4)}`),
    ];
  });
  const cellWidth = 16;
  const perLine = Math.max(1, Math.floor(width / cellWidth));
  return Array.from({ length: Math.min(rows, Math.ceil(cells.length / perLine)) }, (_, at) =>
    line(...cells.slice(at * perLine, (at + 1) * perLine).flat()),
  );
}

/** Screen F2: processors, memory, interfaces, disks and processes of the node. */
export function monitorView(model: DashboardModel, width: number, rows: number, now: Date): Frame {
  const node = shownNode(model);
  const head = nodeHead(node, width, now);
  const most = Math.max(8, Math.min(16, Math.floor((rows - 2) * 0.4)));
  const left = Math.floor((width - 1) / 2);
  const right = width - 1 - left;
  const { received, sent } = node.history;
  const traffic = (label: string, rates: readonly number[]): Line =>
    line(
      span(` ${label.padEnd(4)}`, 'dim'),
      sparkline(rates, Math.max(8, left - 14)),
      span(` ${rateText(rates.at(-1)).padStart(7)}`),
    );
  const system = [
    heading('System', left),
    ...systemLines(node, left),
    traffic('IN', received),
    traffic('OUT', sent),
  ];
  system.push(...processorLines(node, left, most - system.length));
  const devices = [
    heading('Network and disks', right),
    ...deviceTables(node.sample, node.before, right, most - 1),
  ];
  const panelRows = Math.min(most, Math.max(system.length, devices.length));
  const order = model.order === 'cpu' ? 'by CPU' : 'by memory';
  return [
    ...head,
    ...besides(system, left, devices, right, panelRows),
    heading('Processes', width, order),
    ...processLines(model, node, width, rows - head.length - panelRows - 1),
  ];
}
