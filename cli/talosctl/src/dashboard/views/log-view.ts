import { cutText, padText, terminalText, textWidth, wrapText } from '../../output/terminal-text.ts';
import { allServices, kernelLog, lineUrgency } from '../model/log.ts';
import { type DashboardModel, logNames, shownNode } from '../model/model.ts';
import { newestFirst, type ShownLog, shownLogs, spanOf } from '../model/shown-logs.ts';
import { type Frame, type Line, line, lineWidth, type Span, span } from '../screen/frame.ts';
import { heading } from '../screen/widgets.ts';
import { narrow } from './layout.ts';

/** The end of the selected logs, under a heading with their name. */
export function logPanel(model: DashboardModel, width: number, rows: number): Frame {
  const logs = shownLogs(model);
  const { count, first } = spanOf(logs);
  const upTo = model.logUpTo === undefined ? count : Math.max(first, model.logUpTo);
  const wanted = model.screen === 'logs' ? model.filter.toLowerCase() : '';
  const label = labelFor(logs, width);
  const room = rows - 1;
  const body: Line[] = [];
  let below = count - upTo;
  for (const { line: shown, from } of newestFirst(logs)) {
    if (body.length >= room) break;
    below -= 1;
    if (below >= 0) continue;
    const text = terminalText(shown.text);
    if (wanted !== '' && !text.toLowerCase().includes(wanted)) continue;
    const look = lineUrgency(text);
    const before = label(from);
    const rest = Math.max(8, width - textWidth(before));
    // On a screen of its own, a log shows its lines in full.
    const parts = model.screen === 'logs' ? wrapText(text, rest) : [cutText(text, rest)];
    const blank = ' '.repeat(textWidth(before));
    body.unshift(...parts.map((part, at) => line(span(at === 0 ? before : blank, 'dim'), span(part, look))));
  }
  if (body.length === 0) {
    const problem = logs.find(({ log }) => log.problem !== undefined)?.log.problem;
    const nothing = wanted === '' ? 'nothing yet' : `nothing matches "${model.filter}"`;
    body.push(line(span(`  ${problem ?? nothing}`, problem === undefined ? 'dim' : 'warning')));
  }
  return [heading(titleOf(model), width, notesOf(model, logs, count - upTo)), ...body.slice(-room)];
}

/** Which log a line is from, as far as the screen has several. */
function labelFor(logs: readonly ShownLog[], width: number): (from: ShownLog) => string {
  const widest = (texts: readonly string[]) =>
    new Set(texts).size > 1 ? Math.max(...texts.map((text) => textWidth(terminalText(text)))) : 0;
  const most = width < narrow ? 8 : 16;
  const nodeWidth = Math.min(most, widest(logs.map(({ node }) => node.name)));
  const nameWidth = Math.min(most, widest(logs.map(({ name }) => name)));
  const part = (text: string, room: number) => (room === 0 ? '' : `${padText(terminalText(text), room)} `);
  return ({ node, name }) => part(node.name, nodeWidth) + part(name, nameWidth);
}

function titleOf({ log, screen, everywhere }: DashboardModel): string {
  const where = screen === 'logs' && everywhere.logs ? ' of all nodes' : '';
  if (log === allServices) return `Logs of all services${where}`;
  return log === kernelLog ? `Kernel log${where}` : `Log of ${log}${where}`;
}

function notesOf(model: DashboardModel, logs: readonly ShownLog[], below: number): string {
  const own = logs.reduce((sum, { log }) => sum + log.ownCount, 0);
  return [
    ...(model.screen === 'logs' && model.filter !== '' ? [`/${model.filter}`] : []),
    ...(own > 0 && !model.showsOwnRequests ? [`${own} own requests hidden`] : []),
    ...(below > 0 ? [`${below} lines below, end: follow`] : []),
  ].join(', ');
}

/** Screen F4: the names of the logs on one line, and the selected logs below. */
export function logsView(model: DashboardModel, width: number, rows: number): Frame {
  const names = logNames(shownNode(model));
  const shown: Span[] = names.flatMap((name) => [
    span(` ${name} `, name === model.log ? 'chosen' : 'plain'),
    span(' '),
  ]);
  // The selected name is visible: those before it are left out as far as needed.
  const chosen = Math.max(0, names.indexOf(model.log));
  let from = 0;
  while (from < chosen && lineWidth(shown.slice(2 * from, 2 * chosen + 2)) > width - 2) from += 1;
  return [line(from > 0 ? '‹' : ' ', ...shown.slice(2 * from)), ...logPanel(model, width, rows - 1)];
}
