import type { EventEntry } from '../../../protocol/messages.ts';

export interface NodeEvent extends EventEntry {
  readonly node: string;
}

/** All events that one call caused, or that nobody caused within a short time. */
export interface EventGroup {
  /** The call; empty for events without one. */
  readonly actor: string;
  readonly key: string;
  /** The oldest first. */
  readonly events: readonly NodeEvent[];
  readonly nodes: readonly string[];
  readonly startMs: number;
  readonly endMs: number;
  readonly hasFailed: boolean;
}

/** Events without a call belong together when no more time lies between them. */
const quietMs = 10_000;

/** The groups, newest first. */
export function groupEvents(events: readonly NodeEvent[]): readonly EventGroup[] {
  const ordered = events.toSorted((a, b) => (a.atMs ?? 0) - (b.atMs ?? 0) || (a.id < b.id ? -1 : 1));
  const groups = new Map<string, NodeEvent[]>();
  let quiet: { key: string; lastMs: number } | undefined;
  for (const event of ordered) {
    const atMs = event.atMs ?? 0;
    let key = event.actor;
    if (key === '') {
      const isSame = quiet !== undefined && atMs - quiet.lastMs <= quietMs;
      quiet = {
        key: isSame && quiet !== undefined ? quiet.key : `- ${event.id} ${event.node}`,
        lastMs: atMs,
      };
      key = quiet.key;
    }
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [event]);
    else group.push(event);
  }
  return [...groups].map(([key, members]) => groupOf(key, members)).sort((a, b) => b.endMs - a.endMs);
}

function groupOf(key: string, events: readonly NodeEvent[]): EventGroup {
  const distinct = (values: readonly string[]) => [...new Set(values)];
  return {
    key,
    actor: events[0]?.actor ?? '',
    events,
    nodes: distinct(events.map(({ node }) => node)).sort(),
    startMs: events[0]?.atMs ?? 0,
    endMs: events.at(-1)?.atMs ?? 0,
    hasFailed: events.some(hasFailed),
  };
}

export const hasFailed = ({ type, message }: EventEntry): boolean =>
  /^error\b|^FAILED\b/i.test(message) || /Error$/.test(type);
