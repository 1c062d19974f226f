import { terminalText } from '../../output/terminal-text.ts';
import { processCommandLine } from '../../render/process-command-line.ts';
import { sharesHost } from '../model/facts.ts';
import { type DashboardModel, type NodeModel, shownNode } from '../model/model.ts';
import {
  cpuUsage,
  diskRates,
  memoryShare,
  networkRates,
  processUsages,
  type Sample,
} from '../model/sample.ts';
import { besides, type Frame, type Line, line, type Span, span } from '../screen/frame.ts';
import { alarm, bar, type Cell, heading, table, windowOf } from '../screen/widgets.ts';
import { durationText, percentText, rateText, shortSize } from './figures.ts';
import { graph, graphLines } from './graph.ts';
import { narrow, short } from './layout.ts';
import { nodeHead } from './summary-view.ts';

/** The figures behind the graphs, in one line each. */
function systemLines({ sample, before }: NodeModel): Line[] {
  const usage = cpuUsage(sample?.system?.cpuTotal, before?.system?.cpuTotal);
  const { memory, system } = sample ?? {};
  const kib = (amount: bigint | undefined) => (amount === undefined ? '-' : shortSize(amount * 1024n));
  return [
    line(
      ` user ${percentText(usage?.user)} sys ${percentText(usage?.system)} wait ${percentText(usage?.waiting)} steal ${percentText(usage?.stolen)}`,
    ),
    line(
      ` free ${kib(memory?.memfree)} cache ${kib(memory?.cached)} swap ${kib(memory === undefined ? undefined : memory.swaptotal - memory.swapfree)}/${kib(memory?.swaptotal)}`,
    ),
    line(
      ` running ${system?.processRunning ?? '-'} blocked ${system?.processBlocked ?? '-'} procs ${sample?.processes?.length ?? '-'}`,
    ),
  ];
}

/** One row of a graph with its label and its newest value. */
function sparkRow(label: string, values: readonly number[], last: Span, width: number, most?: number): Line {
  const room = Math.max(4, width - 14);
  const [row = span('')] = graphLines({
    values,
    width: room,
    rows: 1,
    ...(most === undefined ? {} : { most }),
  });
  return line(span(` ${label.padEnd(4)}`, 'dim'), row, { ...last, text: ` ${last.text.padStart(7)}` });
}

const shareSpan = (share: number | undefined): Span => span(percentText(share), alarm(share ?? 0));

/** The history of the node in one row for each graph. */
function sparkRows({ history, sample }: NodeModel, width: number): Line[] {
  const { cpu, memory, received, sent } = history;
  return [
    sparkRow('CPU', cpu, shareSpan(cpu.at(-1)), width, 1),
    sparkRow('MEM', memory, shareSpan(memoryShare(sample?.memory)), width, 1),
    sparkRow('IN', received, span(rateText(received.at(-1))), width),
    sparkRow('OUT', sent, span(rateText(sent.at(-1))), width),
  ];
}

/** The history of processors and memory in graphs of several rows, each with the time that it spans. */
function graphs({ history, sample }: NodeModel, width: number, rows: number): Frame {
  const { cpu, memory, elapsedMs } = history;
  const [oldest, newest] = [elapsedMs[0], elapsedMs.at(-1)];
  const ago =
    oldest === undefined || newest === undefined ? '' : ` of ${durationText((newest - oldest) / 1000)}`;
  const left = Math.floor((width - 1) / 2);
  const right = width - 1 - left;
  const share = (title: string, values: readonly number[], last: string, columns: number) =>
    graph({ title: `${title}${ago}`, values, width: columns, rows, most: 1, last });
  return besides(
    share('CPU', cpu, percentText(cpu.at(-1)), left),
    left,
    share('Memory', memory, percentText(memoryShare(sample?.memory)), right),
    right,
    rows + 1,
  );
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
  const isNarrow = width < narrow;
  const columns = [
    { title: '    PID', side: 'right' as const },
    ...(isNarrow ? [] : [{ title: 'S' }]),
    { title: '  CPU%', side: 'right' as const },
    { title: '  RSS', side: 'right' as const },
    ...(isNarrow ? [] : [{ title: 'THR', side: 'right' as const }]),
    { title: 'COMMAND', most: 2000 },
  ];
  const cells = usages
    .slice(from, from + rows - 1)
    .map(({ process, cpu }, at): Cell[] => [
      String(process.pid),
      ...(isNarrow ? [] : [process.state.slice(0, 1)]),
      cpu === undefined ? '-' : (cpu * 100).toFixed(1),
      shortSize(process.residentMemory),
      ...(isNarrow ? [] : [String(process.threads)]),
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

/** From this many rows of the body on, there is room for graphs of several rows. */
const leastForGraphs = 30;

/** Screen F2: processors, memory, interfaces, disks and processes of the node. */
export function monitorView(model: DashboardModel, width: number, rows: number, now: Date): Frame {
  const node = shownNode(model);
  const head = nodeHead(node, width, now);
  const hasGraphs = rows >= leastForGraphs && width >= narrow;
  const above = hasGraphs ? graphs(node, width, Math.min(8, Math.floor(rows / 7))) : [];
  const panels = rows < short ? [] : devicePanels(node, width, rows, hasGraphs);
  const order = model.order === 'cpu' ? 'by CPU' : 'by memory';
  const ofHost = sharesHost(node.facts) ? 'of the host, ' : '';
  const used = head.length + above.length + panels.length;
  return [
    ...head,
    ...above,
    ...panels,
    heading('Processes', width, `${ofHost}${order}`),
    ...processLines(model, node, width, rows - used - 1),
  ];
}

/** The system, and beside it the devices; on a narrow screen the history of the system alone. */
function devicePanels(node: NodeModel, width: number, rows: number, hasGraphs: boolean): Frame {
  if (width < narrow) return [heading('System', width), ...sparkRows(node, width)];
  const most = Math.max(8, Math.min(16, Math.floor((rows - 2) * 0.4)));
  const left = Math.floor((width - 1) / 2);
  const right = width - 1 - left;
  const sparks = sparkRows(node, left);
  const system = [heading('System', left), ...(hasGraphs ? sparks.slice(2) : sparks), ...systemLines(node)];
  system.push(...processorLines(node, left, most - system.length));
  const devices = [
    heading('Network and disks', right, sharesHost(node.facts) ? 'of the host' : ''),
    ...deviceTables(node.sample, node.before, right, most - 1),
  ];
  const panelRows = Math.min(most, Math.max(system.length, devices.length));
  return besides(system, left, devices, right, panelRows);
}
