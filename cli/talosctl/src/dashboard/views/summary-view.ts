import type { DashboardModel, NodeModel } from '../model/model.ts';
import { shownNode } from '../model/model.ts';
import { memoryShare } from '../model/sample.ts';
import { besides, type Frame, type Line, line, type Span, span } from '../screen/frame.ts';
import { bar, heading, table } from '../screen/widgets.ts';
import { percentText, shortSize } from './figures.ts';
import { logPanel } from './log-view.ts';
import { networkLines, nodeLines, warningLines } from './node-panels.ts';
import { healthText, isServiceWell, serviceAge, serviceLook, stageText, uptimeText } from './node-words.ts';

/** The name and the state of the node, in two lines. The screens monitor and summary begin with them. */
export function nodeHead(node: NodeModel, width: number, now: Date): Frame {
  const { facts, sample, name } = node;
  const hostname = facts.hostname?.hostname ?? '';
  const parts: Span[] = [
    span(` ${name}`, 'title'),
    span(hostname === '' || hostname === name ? '' : ` ${hostname}`, 'title'),
    span(`  ${facts.type ?? ''}  ${facts.version?.version ?? ''}  `),
    stageText(node),
    span(`  up ${uptimeText(node, now)}`),
  ];
  const { memory, load, system } = sample ?? {};
  const cpu = node.history.cpu.at(-1);
  const used = memory === undefined ? undefined : (memory.memtotal - memory.memavailable) * 1024n;
  const amounts =
    memory === undefined ? '' : ` ${shortSize(used ?? 0n)}/${shortSize(memory.memtotal * 1024n)}`;
  const barWidth = Math.max(8, Math.min(24, Math.floor((width - 56) / 2)));
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
  const head = [...nodeHead(node, width, now), ...warningLines(node).slice(0, mostWarnings)];
  const panels = (width >= 120 ? threePanels : twoPanels)(
    node,
    width,
    rows - head.length - leastLogRows,
    now,
  );
  return [...head, ...panels, ...logPanel(model, width, rows - head.length - panels.length)];
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
