import { keptText } from './kept-text.ts';
import { type DashboardModel, type NodeModel, shownNode, shownNodes } from './model.ts';

/** One event of a node, in readable form. */
export interface EventLine {
  /** Ids of one node grow with time, and so do those of several, to the second. */
  readonly id: string;
  /** Undefined when the id has no time. */
  readonly atMs: number | undefined;
  /** Such as `Service`. */
  readonly type: string;
  readonly source: string;
  readonly message: string;
  /** The call that caused it; empty for events without one. */
  readonly actorId: string;
}

const keptEvents = 1000;
/** Longer texts of nodes are cut: no screen shows more. */
const keptCharacters = 2000;

/** A stream that was opened again repeats past events: only newer ones are added. */
export function withEvents(node: NodeModel, added: readonly EventLine[]): NodeModel {
  const last = node.events.at(-1)?.id ?? '';
  const fresh = added.filter(({ id }) => id > last);
  if (fresh.length === 0) return node;
  return { ...node, events: [...node.events, ...fresh.slice(-keptEvents).map(cutTexts)].slice(-keptEvents) };
}

function cutTexts({ atMs, ...texts }: EventLine): EventLine {
  const { id, type, source, message, actorId } = texts;
  const cut = (text: string) => keptText(text, keptCharacters);
  return {
    atMs,
    id: cut(id),
    type: cut(type),
    source: cut(source),
    message: cut(message),
    actorId: cut(actorId),
  };
}

export interface ShownEvent extends EventLine {
  readonly node: string;
}

/** The events on the screen that match the filter, oldest first. */
export function shownEvents(model: DashboardModel): readonly ShownEvent[] {
  const nodes = model.everywhere.events ? shownNodes(model) : [shownNode(model)];
  const wanted = model.screen === 'events' ? model.filter.toLowerCase() : '';
  const matches = ({ node, type, source, message, actorId }: ShownEvent) =>
    wanted === '' || `${node} ${type} ${source} ${message} ${actorId}`.toLowerCase().includes(wanted);
  return nodes
    .flatMap(({ name, events }) => events.map((event) => ({ ...event, node: name })))
    .filter(matches)
    .sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

/** The position of the selected event; the last one while the end is followed. */
export function eventPosition(model: DashboardModel, events: readonly ShownEvent[]): number {
  if (model.eventId === undefined) return events.length - 1;
  // The selected event may have been dropped, or the filter may hide it: the next one is selected.
  const at = events.findIndex(({ id }) => id >= (model.eventId as string));
  return at < 0 ? events.length - 1 : at;
}
