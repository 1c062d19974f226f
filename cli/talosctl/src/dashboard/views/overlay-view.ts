import { actionText } from '@nodewright/client/what-if';
import { continueQuestion } from '../../nodes/ask-question.ts';
import { padText, terminalText, wrapText } from '../../output/terminal-text.ts';
import { helpLines } from '../model/key-table.ts';
import { type DashboardModel, serviceNames, shownNode } from '../model/model.ts';
import { menuEntries, type Overlay } from '../model/overlay.ts';
import { type Frame, type Line, line, restyled, span } from '../screen/frame.ts';
import { heading, windowOf } from '../screen/widgets.ts';

/** What lies over the lower part of the screen, at most `rows` lines. */
export function overlayView(model: DashboardModel, overlay: Overlay, width: number, rows: number): Frame {
  switch (overlay.kind) {
    case 'help':
      return helpPage(overlay.scroll, width, rows);
    case 'menu':
      return chosenFrom(
        `Actions on ${shownNode(model).name}`,
        menuEntries.map(({ key, text }) => `${key}  ${text}`),
        overlay.at,
        ...[width, rows],
      );
    case 'services':
      return chosenFrom(
        `Which service of ${shownNode(model).name} to ${overlay.verb}`,
        serviceNames(shownNode(model)),
        overlay.at,
        ...[width, rows],
      );
    case 'question':
      return questionPanel(overlay, width, rows);
  }
}

/** Below this width the text of a key stands on the line below it. */
const leastForColumns = 60;
const termWidth = 18;

/** @param scroll the first entry that is shown, unless all of them fit */
function helpPage(scroll: number, width: number, rows: number): Frame {
  const room = rows - 1;
  const entries = helpLines.map((entry): Line[] => {
    if (typeof entry === 'string') return [line(span(` ${entry}`, 'title'))];
    if (width >= leastForColumns)
      return [line('   ', span(padText(entry.term, termWidth), 'accent'), ` ${entry.text}`)];
    const texts = wrapText(entry.text, width - 5);
    return [line('   ', span(entry.term, 'accent')), ...texts.map((text) => line(`     ${text}`))];
  });
  const all = entries.flat();
  const shown = all.length <= room ? all : entries.slice(scroll).flat().slice(0, room);
  return [heading('Keys', width, all.length <= room ? 'esc' : 'j, k, esc'), ...shown];
}

function chosenFrom(
  title: string,
  texts: readonly string[],
  chosen: number,
  width: number,
  rows: number,
): Frame {
  const room = Math.max(1, rows - 1);
  const from = windowOf(texts.length, room, chosen);
  const lines = texts.map((text, at) => {
    const parts = line(span(padText(terminalText(`  ${text}`), width)));
    return at === chosen ? restyled(parts, 'chosen') : parts;
  });
  const emptyList = line(span('  the list is empty', 'dim'));
  return [
    heading(title, width, 'enter, esc'),
    ...(texts.length === 0 ? [emptyList] : lines.slice(from, from + room)),
  ];
}

function questionPanel(
  { node, planned, lines }: Extract<Overlay, { readonly kind: 'question' }>,
  width: number,
  rows: number,
): Frame {
  const head = heading('Confirm', width, lines === undefined ? 'esc' : 'y, n');
  if (lines === undefined)
    return [head, line(span(`  asking what happens if ${node} ${actionText(planned)} ...`, 'dim'))];
  const wrapped = lines.flatMap((text) => {
    const indent = text.startsWith('  ') ? '    ' : '  ';
    return wrapText(terminalText(text.trim()), width - indent.length).map((part) => `${indent}${part}`);
  });
  // The question itself stays visible on every terminal.
  const shown = wrapped.slice(0, Math.max(1, rows - 2));
  return [
    head,
    ...shown.map((text) => line(span(text, 'warning'))),
    line('  ', span(continueQuestion, 'title')),
  ];
}
