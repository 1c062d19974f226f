import { sharesHost } from '../model/facts.ts';
import type { DashboardModel, NodeModel } from '../model/model.ts';
import { shownNode } from '../model/model.ts';
import { memoryShare } from '../model/sample.ts';
import { besides, type Frame, type Line, line, type Span, span } from '../screen/frame.ts';
import { alarm, bar, heading, table } from '../screen/widgets.ts';
import { percentText, shortSize } from './figures.ts';
import { narrow, short, wide } from './layout.ts';
import { logPanel } from './log-view.ts';
import { networkLines, nodeLines, warningLines } from './node-panels.ts';
import { healthText, isServiceWell, serviceAge, serviceLook, stageText, uptimeText } from './node-words.ts';

/** The name and the state of the node, in two lines. The screens monitor and summary begin with them. */
export function nodeHead(node: NodeModel, width: number, now: Date): Frame {
  const { facts, sample, name } = node;
  const hostname = facts.hostname?.hostname ?? '';
  const isNarrow = width < narrow;
  const parts: Span[] = [
    span(` ${name}`, 'title'),
    span(isNarrow || hostname === '' || hostname === name ? '' : ` ${hostname}`, 'title'),
    span(isNarrow ? '  ' : `  ${facts.type ?? ''}  ${facts.version?.version ?? ''}  `),
    stageText(node),
    span(`  up ${uptimeText(node, now)}`),
  ];
  const { memory, load, system } = sample ?? {};
  const cpu = node.history.cpu.at(-1);
  const used = memory === undefined ? undefined : (memory.memtotal - memory.memavailable) * 1024n;
  const ofHost = sharesHost(facts) ? '  of the host' : '';
  const percents = line(
    span(` CPU ${percentText(cpu)}`, alarm(cpu ?? 0)),
    span(`  MEM ${percentText(memoryShare(memory))}`, alarm(memoryShare(memory) ?? 0)),
    span(`  LOAD ${load?.load1.toFixed(2) ?? '-'}`),
    span(ofHost, 'dim'),
  );
  if (width < narrow) return [parts, percents];
  const amounts =
    memory === undefined ? '' : ` ${shortSize(used ?? 0n)}/${shortSize(memory.memtotal * 1024n)}`;
  const barWidth = Math.max(8, Math.min(24, Math.floor((width - 56 - ofHost.length) / 2)));
  const loads =
    load === undefined
      ? '-'
      : [load.load1, load.load5, load.load15].map((value) => value.toFixed(2)).join(' ');
  const figures = line(
    span(' CPU ', 'dim'),
    ...bar(cpu, barWidth),
    span(` ${percentText(cpu)} of ${system?.cpu.length ?? '-'}`),
    span('  MEM ', 'dim'),
    ...bar(memoryShare(memory), barWidth),
    span(amounts),
    span('  LOAD ', 'dim'),
    span(loads),
    span(ofHost, 'dim'),
  );
  return [parts, figures];
}

const serviceColumns = [
  { title: 'SERVICE', most: 24 },
  { title: 'STATE', most: 12 },
  { title: 'HEALTH' },
  { title: 'SINCE' },
] as const;

function serviceLines(node: NodeModel, width: number, rows: number, now: Date): Frame {
  const services = node.sample?.services;
  if (services === undefined) return [line(span(' not told by this node', 'dim'))];
  const unwell = services.filter((service) => !isServiceWell(service));
  const ordered = [...unwell, ...services.filter(isServiceWell)];
  const shown = ordered.slice(0, ordered.length > rows - 1 ? rows - 2 : rows - 1);
  const cells = shown.map((service) => {
    const look = serviceLook(service);
    return [
      span(` ${service.id}`, look === 'good' ? 'plain' : look),
      ...[span(service.state), span(healthText(service), look), span(serviceAge(service, now))],
    ];
  });
  const lines = table(
    [{ ...serviceColumns[0], title: ' SERVICE' }, ...serviceColumns.slice(1)],
    cells,
    width,
  );
  const hidden = ordered.length - shown.length;
  return hidden === 0 ? lines : [...lines, line(span(` and ${hidden} more`, 'dim'))];
}

/** More lines than this would leave no room for the rest. */
const mostWarnings = 4;
/** Minimum number of lines for the log. */
const leastLogRows = 7;

/** Screen F1: what the node is, its network, its services, and the end of a log. */
export function summaryView(model: DashboardModel, width: number, rows: number, now: Date): Frame {
  const node = shownNode(model);
  const isShort = rows < short;
  const warnings = warningLines(node).slice(0, isShort ? 1 : mostWarnings);
  const head = [...nodeHead(node, width, now), ...warnings];
  const panels = isShort
    ? [serviceSummary(node)]
    : panelsFor(width)(node, width, Math.max(3, rows - head.length - leastLogRows), now);
  return [...head, ...panels, ...logPanel(model, width, Math.max(2, rows - head.length - panels.length))];
}

/** How many services are well and which are not, in one line. */
function serviceSummary({ sample }: NodeModel): Line {
  const services = sample?.services ?? [];
  const unwell = services.filter((service) => !isServiceWell(service));
  const count = ` ${services.length - unwell.length} of ${services.length} services are well`;
  if (unwell.length === 0) return line(span(count, 'good'));
  return line(span(`${count}, not: ${unwell.map(({ id }) => id).join(', ')}`, 'bad'));
}

function panelsFor(width: number): typeof onePanel {
  if (width >= wide) return threePanels;
  return width < narrow ? onePanel : twoPanels;
}

/** The services, which matter most, then what the node is and its network as far as there is room. */
function onePanel(node: NodeModel, width: number, most: number, now: Date): Frame {
  const services = servicePanel(node, width, Math.min(most, 8), now);
  const others = [networkPanel(node, width), nodePanel(node, width)].flat();
  const room = most - services.length;
  return [...services, ...(room >= 4 ? others.slice(0, room) : [])];
}

const nodePanel = (node: NodeModel, width: number): Line[] => [heading('Node', width), ...nodeLines(node)];
const networkPanel = (node: NodeModel, width: number): Line[] => [
  heading('Network', width),
  ...networkLines(node, width),
];
const servicePanel = (node: NodeModel, width: number, rows: number, now: Date): Line[] => [
  heading('Services', width),
  ...serviceLines(node, width, rows - 1, now),
];

/** Next to each other. */
function threePanels(node: NodeModel, width: number, most: number, now: Date): Frame {
  const left = Math.floor((width - 2) / 3);
  const middle = left;
  const last = width - 2 - left - middle;
  const services = servicePanel(node, last, most, now);
  const rows = Math.min(most, Math.max(8, services.length));
  const beside = besides(networkPanel(node, middle), middle, services, last, rows);
  return besides(nodePanel(node, left), left, beside, middle + 1 + last, rows);
}

/** The node next to its network and services; on a small screen the services come first. */
function twoPanels(node: NodeModel, width: number, most: number, now: Date): Frame {
  const left = Math.floor((width - 1) / 2);
  const right = width - 1 - left;
  const wanted = servicePanel(node, right, most, now).length;
  const networkRows = Math.max(0, Math.min(8, most - Math.min(wanted, Math.max(5, most - 5))));
  const network = networkPanel(node, right).slice(0, networkRows);
  const services = servicePanel(node, right, most - network.length, now);
  const stacked = [...network, ...services];
  return besides(nodePanel(node, left), left, stacked, right, Math.min(most, Math.max(8, stacked.length)));
}
