import { actionName } from '@nodewright/client/what-if';
import { cutText, terminalText } from '../../output/terminal-text.ts';
import { type DashboardModel, type Screen, screens, shownNode, shownNodes } from '../model/model.ts';
import { fitLine, type Line, line, lineWidth, type Span, span } from '../screen/frame.ts';
import { clockText, durationText } from './figures.ts';
import { nodeMark } from './node-words.ts';

/** Below this width the first line has no clock, and the last one no names of screens but that of the current one. */
const leastForClock = 60;
const leastForNames = 72;

/** The first line: all nodes with their states, the selected one highlighted, and the time. */
export function nodeBar(model: DashboardModel, width: number, now: Date): Line {
  const clock = width < leastForClock ? '' : ` ${clockText(now)} UTC `;
  const paused = model.frozen === undefined ? '' : ' PAUSED ';
  const room = Math.max(1, width - clock.length - paused.length - 2);
  const tabs = shownNodes(model).map((node, at) => {
    const text = ` ${nodeMark(node).text} ${cutText(terminalText(node.name), width < leastForClock ? 12 : 24)} `;
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
  ...{ events: 'Events', etcd: 'Etcd' },
};

/** The last line: the screens, and the keys of the current one as far as they fit. */
export function helpBar(model: DashboardModel, width: number): Line {
  if (model.isTyping) {
    return fitLine(line(span(` / ${model.filter}█  enter: keep  esc: clear`, 'bar-chosen')), width, 'bar');
  }
  const tabs = screens.map((screen, at) => {
    const isChosen = screen === model.screen;
    const hasName = width >= leastForNames || isChosen;
    return span(` ${at + 1}${hasName ? ` ${screenNames[screen]}` : ''}`, isChosen ? 'bar-chosen' : 'bar');
  });
  let room = width - lineWidth(tabs);
  const keys = ['? keys', 'q quit', keysOf(model), 'a actions', 'h/l node'].filter((text) => {
    const fits = text !== '' && text.length + 2 <= room;
    if (fits) room -= text.length + 2;
    return fits;
  });
  return fitLine(line(...tabs, span(keys.map((text) => `  ${text}`).join(''), 'bar')), width, 'bar');
}

const shownAfterEndMs = 30_000;

/** The progress of the actions that were started, one line per node, until half a minute after their end. */
export function actionLines(model: DashboardModel, width: number, now: Date): Line[] {
  return model.nodes.flatMap(({ name, action }) => {
    if (action === undefined) return [];
    const { planned, state, message, atMs = now.getTime() } = action;
    const age = now.getTime() - atMs;
    if (state !== 'running' && age > shownAfterEndMs) return [];
    const style = { running: 'accent', done: 'good', failed: 'bad' } as const;
    const since = state === 'running' && age >= 1000 ? ` (${durationText(age / 1000)})` : '';
    const failed = state === 'failed' ? 'failed: ' : '';
    const text = ` ${name} ${actionName(planned)}: ${failed}${message}${since}`;
    return [fitLine(line(span(cutText(terminalText(text), width), style[state])), width)];
  });
}

function keysOf(model: DashboardModel): string {
  const { screen, place } = model;
  const isAway = shownNode(model).reach.kind !== 'here';
  switch (screen) {
    case 'summary':
      return 'tab: log';
    case 'logs':
      return 'tab n o /';
    case 'monitor':
      return isAway ? '' : 'c/m sort';
    case 'resources':
      return { kinds: 'enter  /', resources: 'enter esc /', document: 'j/k esc' }[place.level];
    case 'nodes':
      return 'enter';
    case 'events':
      return 'enter n /';
    case 'etcd':
      return '';
  }
}
