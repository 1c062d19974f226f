import { type DashboardModel, type Screen, screens, shownNode, shownNodes } from '../model/model.ts';
import { fitLine, type Line, line, lineWidth, type Span, span } from '../screen/frame.ts';
import { cutText, terminalText } from '../screen/terminal-text.ts';
import { nodeMark } from './node-words.ts';

/** The first line: all nodes with their states, the selected one highlighted, and the time. */
export function nodeBar(model: DashboardModel, width: number, now: Date): Line {
  const clock = ` ${now.toTimeString().slice(0, 8)} `;
  const paused = model.frozen === undefined ? '' : ' PAUSED ';
  const room = width - clock.length - paused.length - 2;
  const tabs = shownNodes(model).map((node, at) => {
    const text = ` ${nodeMark(node).text} ${cutText(terminalText(node.name), 24)} `;
    return span(text, at === model.nodeAt ? 'bar-chosen' : 'bar');
  });
  const { shown, before, after } = aroundChosen(tabs, model.nodeAt, room);
  const left = fitLine(line(span(before ? '‹' : ' ', 'bar'), ...shown), room + 1, 'bar');
  return line(...left, span(after ? '›' : ' ', 'bar'), span(paused, 'bar-chosen'), span(clock, 'bar'));
}

/** As many tabs as fit, including the selected one. */
function aroundChosen(tabs: readonly Span[], chosen: number, room: number) {
  let from = chosen;
  let to = chosen + 1;
  const fits = (a: number, b: number) => lineWidth(tabs.slice(a, b)) <= room;
  for (let grown = true; grown; ) {
    grown = false;
    if (to < tabs.length && fits(from, to + 1)) {
      to += 1;
      grown = true;
    }
    if (from > 0 && fits(from - 1, to)) {
      from -= 1;
      grown = true;
    }
  }
  return { shown: tabs.slice(from, to), before: from > 0, after: to < tabs.length };
}

const screenNames: Readonly<Record<Screen, string>> = {
  ...{ summary: 'Summary', monitor: 'Monitor', resources: 'Resources', logs: 'Logs', nodes: 'Nodes' },
};

/** The last line: the screens, and the keys of the current one. */
export function helpBar(model: DashboardModel, width: number): Line {
  if (model.isTyping) {
    return fitLine(line(span(` / ${model.filter}█  enter: keep  esc: clear`, 'bar-chosen')), width, 'bar');
  }
  const tabs = screens.map((screen, at) =>
    span(`F${at + 1} ${screenNames[screen]}`, screen === model.screen ? 'bar-chosen' : 'bar'),
  );
  const parts = tabs.flatMap((tab) => [span(' ', 'bar'), tab]);
  const room = width - lineWidth(parts);
  const keys = [keysOf(model), 'h/l node', 'q quit'].filter((text) => text !== '');
  const spacious = `  ${keys.join('  ')}`;
  return fitLine(
    line(...parts, span(spacious.length <= room ? spacious : ` ${keys.join(' ')}`, 'bar')),
    width,
    'bar',
  );
}

function keysOf(model: DashboardModel): string {
  const { screen, place } = model;
  const isAway = shownNode(model).reach.kind !== 'here';
  switch (screen) {
    case 'summary':
      return 'tab: log';
    case 'logs':
      return 'tab  /  j/k';
    case 'monitor':
      return isAway ? '' : 'c/m sort';
    case 'resources':
      return { kinds: 'enter  /', resources: 'enter esc /', document: 'j/k esc' }[place.level];
    case 'nodes':
      return 'enter';
  }
}
