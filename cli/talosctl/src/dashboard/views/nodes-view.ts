import { padText, terminalText, textWidth } from '../../output/terminal-text.ts';
import { sharesHost } from '../model/facts.ts';
import { type DashboardModel, type NodeModel, shownNodes } from '../model/model.ts';
import { memoryShare } from '../model/sample.ts';
import { type Frame, fitLine, type Line, line, restyled, span } from '../screen/frame.ts';
import { alarm, type Cell, heading, table, windowOf } from '../screen/widgets.ts';
import { percentText } from './figures.ts';
import { graphLines } from './graph.ts';
import { isServiceWell, nodeMark, stageText, uptimeText } from './node-words.ts';

const columns = [
  ...[
    { title: '' },
    { title: 'NODE', most: 24 },
    { title: 'HOSTNAME', most: 20 },
    { title: 'TYPE' },
    { title: 'STAGE', most: 24 },
  ],
  ...[
    { title: 'CPU', side: 'right' as const },
    { title: 'MEM', side: 'right' as const },
    { title: 'LOAD', side: 'right' as const },
  ],
  ...[{ title: 'SVC' }, { title: 'UP' }, { title: 'VERSION' }, { title: 'HISTORY', most: 200 }],
];

/** The columns that are left out below a width: the hostname, which usually is the name, and the version; then others. */
const leftOutBelow: readonly { readonly width: number; readonly columns: readonly string[] }[] = [
  { width: 110, columns: ['HOSTNAME', 'VERSION', 'HISTORY'] },
  { width: 76, columns: ['TYPE', 'LOAD'] },
  { width: 56, columns: ['STAGE', 'UP'] },
];

function leftOut(width: number): ReadonlySet<string> {
  return new Set(leftOutBelow.flatMap((step) => (width < step.width ? step.columns : [])));
}

const historyWidth = 24;

function nodeCells(node: NodeModel, hidden: ReadonlySet<string>, now: Date): Cell[] {
  const { name, facts, sample, history } = node;
  const cpu = history.cpu.at(-1);
  const memory = memoryShare(sample?.memory);
  const { services } = sample ?? {};
  const well = services?.filter(isServiceWell).length ?? 0;
  const cells: Cell[] = [
    ...[nodeMark(node), name, facts.hostname?.hostname ?? '-', facts.type ?? '-', stageText(node)],
    ...[span(percentText(cpu), alarm(cpu ?? 0)), span(percentText(memory), alarm(memory ?? 0))],
    sample?.load?.load1.toFixed(2) ?? '-',
    services === undefined
      ? '-'
      : span(`${well}/${services.length}`, well === services.length ? 'good' : 'bad'),
    ...[uptimeText(node, now), facts.version?.version ?? '-'],
    ...graphLines({ values: history.cpu, width: historyWidth, rows: 1, most: 1 }),
  ];
  return cells.filter((_, at) => !hidden.has(columns[at]?.title ?? ''));
}

/** The line of a node without data: the reason. */
function awayLine(node: NodeModel, nameWidth: number): Line {
  const { name, reach } = node;
  const why = reach.kind === 'away' ? span(`away: ${reach.message}`, 'bad') : span('connecting ...', 'dim');
  return line(nodeMark(node), '  ', padText(terminalText(name), nameWidth), '  ', why);
}

/** Screen F5: all nodes, one per line. */
export function nodesView(model: DashboardModel, width: number, rows: number, now: Date): Frame {
  const nodes = shownNodes(model);
  const hidden = leftOut(width);
  const shownColumns = columns.filter(({ title }) => !hidden.has(title));
  const isHere = ({ reach }: NodeModel) => reach.kind === 'here';
  const cells = nodes.map((node) => (isHere(node) ? nodeCells(node, hidden, now) : ['', node.name]));
  const [titles = [], ...tabled] = table(shownColumns, cells, width);
  const nameWidth = Math.min(24, Math.max(4, ...nodes.map(({ name }) => textWidth(terminalText(name)))));
  const lines = tabled.map((parts, at) => {
    const node = nodes[at] as NodeModel;
    return isHere(node) ? parts : fitLine(awayLine(node, nameWidth), width);
  });
  const from = windowOf(nodes.length, rows - 2, model.nodeAt);
  const shown = lines
    .map((parts, at) => (at === model.nodeAt ? restyled(parts, 'chosen') : parts))
    .slice(from, from + rows - 2);
  const ofHost = nodes.some(({ facts }) => sharesHost(facts)) ? ', figures of the host' : '';
  return [heading('Nodes', width, `${nodes.length}${ofHost}`), titles, ...shown];
}
