import { emptyLog, kernelLine, kernelLog, lineUrgency, serviceLine } from '../model/log.ts';
import { type DashboardModel, logNames, shownNode } from '../model/model.ts';
import { type Frame, type Line, line, span } from '../screen/frame.ts';
import { cutText, terminalText, wrapText } from '../screen/terminal-text.ts';
import { heading } from '../screen/widgets.ts';

/** The end of the selected log, under a heading with its name. */
export function logPanel(model: DashboardModel, width: number, rows: number): Frame {
  const node = shownNode(model);
  const { lines, count, problem } = node.logs[model.log] ?? emptyLog;
  const upTo = model.logUpTo === undefined ? count : Math.max(count - lines.length, model.logUpTo);
  const shown = lines.slice(0, lines.length - (count - upTo));
  const isKernel = model.log === kernelLog;
  const asShown = isKernel ? kernelLine : serviceLine;
  const wanted = model.screen === 'logs' ? model.filter.toLowerCase() : '';
  const room = rows - 1;
  const body: Line[] = [];
  for (let at = shown.length - 1; at >= 0 && body.length < room; at -= 1) {
    const text = terminalText(asShown(shown[at] as string));
    if (wanted !== '' && !text.toLowerCase().includes(wanted)) continue;
    const look = lineUrgency(text);
    // On a screen of its own, a log shows its lines in full.
    const parts = model.screen === 'logs' ? wrapText(text, width) : [cutText(text, width)];
    body.unshift(...parts.map((part) => line(span(part, look))));
  }
  const title = isKernel ? 'Kernel log' : `Log of ${model.log}`;
  const notes = [
    ...(wanted === '' ? [] : [`/${model.filter}`]),
    ...(upTo < count ? [`${count - upTo} lines below, end: follow`] : []),
  ];
  if (body.length === 0) {
    const nothing = wanted === '' ? 'nothing yet' : `nothing matches "${model.filter}"`;
    body.push(line(span(`  ${problem ?? nothing}`, problem === undefined ? 'dim' : 'warning')));
  }
  return [heading(title, width, notes.join(', ')), ...body.slice(-room)];
}

/** Screen F4: the names of the logs on one line, and the selected log below. */
export function logsView(model: DashboardModel, width: number, rows: number): Frame {
  const names = logNames(shownNode(model)).flatMap((name) => [
    span(` ${name} `, name === model.log ? 'chosen' : 'plain'),
    span(' '),
  ]);
  return [line(' ', ...names), ...logPanel(model, width, rows - 1)];
}
