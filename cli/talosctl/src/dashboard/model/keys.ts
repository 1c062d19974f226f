import type { Key, KeyName } from '../screen/decode-keys.ts';
import { documentLines, enteredKind, enteredResource, shownKinds, shownResources } from './browse.ts';
import { eventPosition, shownEvents } from './event-log.ts';
import { allServices } from './log.ts';
import {
  type BrowserPlace,
  type DashboardModel,
  logNames,
  type Screen,
  screens,
  shownNode,
} from './model.ts';
import { moved } from './moved.ts';
import { afterOverlayKey } from './overlay-keys.ts';
import { shownLogs, spanOf } from './shown-logs.ts';

/**
 * The model after a key.
 *
 * @param page lines that "page up" and "page down" scroll
 */
export function afterKey(model: DashboardModel, key: Key, page: number): DashboardModel {
  const word = key.kind === 'character' ? key.text : key.name;
  if (word === 'ctrl-c') return { ...model, isLeaving: true };
  if (model.overlay !== undefined) return afterOverlayKey(model, model.overlay, word, page);
  if (model.isTyping) return afterTyping(model, key);
  const screen = screenOf(word);
  if (screen !== undefined) return onScreen(model, screen);
  switch (word) {
    case 'q':
      return { ...model, isLeaving: true };
    case '?':
      return { ...model, overlay: { kind: 'help', scroll: 0 } };
    case 'a':
      return { ...model, overlay: { kind: 'menu', at: 0 } };
    case 'ctrl-z':
      return { ...model, frozen: model.frozen === undefined ? model.nodes : undefined };
    case 'h':
    case 'left':
      return onNode(model, model.nodeAt - 1);
    case 'l':
    case 'right':
      return onNode(model, model.nodeAt + 1);
    case '/':
      return hasFilter(model) ? { ...model, filter: '', isTyping: true } : model;
    default:
      return afterScreenKey(model, word, page);
  }
}

function screenOf(word: string): Screen | undefined {
  const number = /^f?([1-7])$/.exec(word)?.[1];
  return number === undefined ? undefined : screens[Number(number) - 1];
}

const hasFilter = ({ screen, place }: DashboardModel): boolean =>
  screen === 'logs' || screen === 'events' || (screen === 'resources' && place.level !== 'document');

function onScreen(model: DashboardModel, screen: Screen): DashboardModel {
  if (screen === model.screen && screen === 'resources') {
    return { ...model, place: { ...model.place, level: 'kinds', scroll: 0 }, filter: '' };
  }
  return { ...model, screen, filter: '', logUpTo: undefined, eventId: undefined };
}

function onNode(model: DashboardModel, at: number): DashboardModel {
  const count = model.nodes.length;
  const moved = { ...model, nodeAt: (at + count) % count, logUpTo: undefined, processAt: 0 };
  const known = logNames(shownNode(moved));
  // A node that has not answered yet may have that log as well.
  const keepsLog = known.length === 1 || model.log === allServices || known.includes(model.log);
  return keepsLog ? moved : { ...moved, log: known[0] as string };
}

function afterTyping(model: DashboardModel, key: Key): DashboardModel {
  if (key.kind === 'character') return withFilter(model, model.filter + key.text);
  switch (key.name) {
    case 'backspace':
      return withFilter(model, model.filter.slice(0, -1));
    case 'enter':
      return { ...model, isTyping: false };
    case 'escape':
      return { ...withFilter(model, ''), isTyping: false };
    default:
      return model;
  }
}

const withFilter = (model: DashboardModel, filter: string): DashboardModel => ({
  ...model,
  filter,
  logUpTo: undefined,
  eventId: undefined,
  place: { ...model.place, ...(model.place.level === 'kinds' ? { kindAt: 0 } : { resourceAt: 0 }) },
});

function afterScreenKey(model: DashboardModel, word: string, page: number): DashboardModel {
  switch (model.screen) {
    case 'summary':
    case 'logs':
      return afterLogKey(model, word, page);
    case 'events':
      return afterEventKey(model, word, page);
    case 'etcd':
      return model;
    case 'monitor': {
      if (word === 'c' || word === 'm')
        return { ...model, order: word === 'c' ? 'cpu' : 'memory', processAt: 0 };
      const count = shownNode(model).sample?.processes?.length ?? 0;
      return { ...model, processAt: moved(model.processAt, word, page, count) };
    }
    case 'resources':
      return afterBrowserKey(model, word, page);
    case 'nodes': {
      if (word === 'enter') return onScreen(model, 'summary');
      const at = moved(model.nodeAt, word, page, model.nodes.length);
      return at === model.nodeAt ? model : onNode(model, at);
    }
  }
}

function afterLogKey(model: DashboardModel, word: string, page: number): DashboardModel {
  const names = logNames(shownNode(model));
  const turn = { tab: 1, ']': 1, 'shift-tab': -1, '[': -1 }[word];
  if (turn !== undefined) {
    const at = (Math.max(0, names.indexOf(model.log)) + turn + names.length) % names.length;
    return { ...model, log: names[at] as string, isLogChosen: true, logUpTo: undefined };
  }
  if (model.screen === 'logs') {
    const { logs, ...others } = model.everywhere;
    if (word === 'n') return { ...model, everywhere: { ...others, logs: !logs }, logUpTo: undefined };
    if (word === 'o') return { ...model, showsOwnRequests: !model.showsOwnRequests, logUpTo: undefined };
    if (word === 'escape') return { ...model, filter: '' };
  }
  const { count, first } = spanOf(shownLogs(model));
  const at = moved((model.logUpTo ?? count) - first, word, page, count - first + 1) + first;
  return { ...model, logUpTo: at >= count ? undefined : Math.max(first + 1, at) };
}

function afterEventKey(model: DashboardModel, word: string, page: number): DashboardModel {
  if (word === 'n') {
    const { everywhere } = model;
    return { ...model, everywhere: { ...everywhere, events: !everywhere.events }, eventId: undefined };
  }
  if (word === 'escape') return { ...model, filter: '', eventId: undefined };
  const events = shownEvents(model);
  const position = eventPosition(model, events);
  if (word === 'enter') {
    const actorId = events[position]?.actorId ?? '';
    if (actorId === '') return model;
    return { ...model, filter: actorId, everywhere: { ...model.everywhere, events: true } };
  }
  const at = moved(position, word, page, events.length);
  return { ...model, eventId: at >= events.length - 1 ? undefined : events[at]?.id };
}

function afterBrowserKey(model: DashboardModel, word: string, page: number): DashboardModel {
  const { place } = model;
  const to = (change: Partial<BrowserPlace>): DashboardModel => ({
    ...model,
    place: { ...place, ...change },
  });
  const isBack = (['escape', 'backspace'] satisfies KeyName[] as string[]).includes(word);
  switch (place.level) {
    case 'kinds': {
      const kinds = shownKinds(model);
      if (isBack) return { ...model, filter: '' };
      if (word !== 'enter') return to({ kindAt: moved(place.kindAt, word, page, kinds.length) });
      const type = kinds[place.kindAt]?.type;
      if (type === undefined) return model;
      const entered = to({ level: 'resources', type, resourceAt: 0, scroll: 0 });
      return { ...entered, filter: '', frozen: undefined };
    }
    case 'resources': {
      const resources = shownResources(model);
      if (isBack) return model.filter === '' ? backToKinds(model) : { ...model, filter: '' };
      if (word !== 'enter') return to({ resourceAt: moved(place.resourceAt, word, page, resources.length) });
      const id = resources[place.resourceAt]?.metadata.id;
      return id === undefined ? model : { ...to({ level: 'document', id, scroll: 0 }), filter: '' };
    }
    case 'document':
      if (isBack) return to({ level: 'resources', scroll: 0 });
      return to({ scroll: moved(place.scroll, word, page, scrollable(model, page)) });
  }
}

/** By how many lines the document can be scrolled. */
function scrollable(model: DashboardModel, page: number): number {
  const resource = enteredResource(model);
  if (resource === undefined) return 1;
  const isSecret = enteredKind(model)?.sensitivity === 'sensitive';
  return Math.max(1, documentLines(resource, isSecret).length - page + 1);
}

function backToKinds(model: DashboardModel): DashboardModel {
  const type = enteredKind(model)?.type;
  const back = { ...model, filter: '', place: { ...model.place, level: 'kinds' as const } };
  const at = shownKinds(back).findIndex((kind) => kind.type === type);
  return { ...back, place: { ...back.place, kindAt: Math.max(0, at) } };
}
