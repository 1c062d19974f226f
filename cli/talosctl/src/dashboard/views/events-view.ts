import { eventPosition, shownEvents } from '../model/event-log.ts';
import { type DashboardModel, shownNode } from '../model/model.ts';
import { type Frame, line, restyled, span } from '../screen/frame.ts';
import { heading, table, windowOf } from '../screen/widgets.ts';
import { clockText } from './figures.ts';
import { narrow, wide } from './layout.ts';

/** So much of the id of a call tells it from others on the screen. */
const actorLength = 8;

/** Screen F6: what happened on the nodes, the last event selected until the user moves. */
export function eventsView(model: DashboardModel, width: number, rows: number): Frame {
  const { everywhere, filter } = model;
  const events = shownEvents(model);
  const position = eventPosition(model, events);
  const title = everywhere.events ? 'Events of all nodes' : `Events of ${shownNode(model).name}`;
  const below = events.length - 1 - position;
  const notes = [
    ...(filter === '' ? [] : [`/${filter}`]),
    ...(below > 0 ? [`${below} below, end: follow`] : [`${events.length}`]),
  ];
  const head = heading(title, width, notes.join(', '));
  if (events.length === 0) {
    const nothing = filter === '' ? 'nothing yet' : `nothing matches "${filter}"`;
    return [head, line(span(`  ${nothing}`, 'dim'))];
  }
  const from = windowOf(events.length, rows - 2, position);
  const [isNarrow, isWide] = [width < narrow, width >= wide];
  const columns = [
    { title: 'TIME' },
    ...(everywhere.events ? [{ title: 'NODE', most: isNarrow ? 8 : 16 }] : []),
    ...(isNarrow ? [] : [{ title: 'EVENT', most: 16 }]),
    { title: 'SOURCE', most: isNarrow ? 10 : 28 },
    ...(isWide ? [{ title: 'CALL' }] : []),
    { title: 'MESSAGE', most: 2000 },
  ];
  const cells = events
    .slice(from, from + rows - 2)
    .map((event) => [
      event.atMs === undefined ? '-' : clockText(new Date(event.atMs)).slice(0, isNarrow ? 5 : 8),
      ...(everywhere.events ? [event.node] : []),
      ...(isNarrow ? [] : [event.type]),
      event.source,
      ...(isWide ? [span(event.actorId.slice(0, actorLength), 'dim')] : []),
      span(event.message, /^(?:error\b|failed\b)/i.test(event.message) ? 'bad' : 'plain'),
    ]);
  const [titles = [], ...lines] = table(columns, cells, width);
  return [
    head,
    titles,
    ...lines.map((parts, at) => (from + at === position ? restyled(parts, 'chosen') : parts)),
  ];
}
