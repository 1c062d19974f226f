import { useMemo, useState } from 'preact/hooks';
import { FilterField } from '../../parts/fields.tsx';
import { clockText, countText, dateText, durationText } from '../../parts/figures.ts';
import { Waiting } from '../../parts/panel.tsx';
import { ScrollRegion } from '../../parts/scroll-region.tsx';
import { linkTo, type Route, replaceWith } from '../../shell/route.ts';
import { useStore, useSubscriptions } from '../../store/use-store.ts';
import { type EventRow, eventRows } from './event-rows.ts';
import { eventTitle } from './event-title.ts';
import { type EventGroup, groupEvents, type NodeEvent } from './group-events.ts';

/** More groups are not drawn at once. */
const mostGroups = 200;

/** What happened on all nodes, grouped by the call that caused it. */
export function EventsView({ route: { query } }: { readonly route: Route }) {
  const { names } = useStore();
  const store = useSubscriptions(names.map((node) => ({ kind: 'events', node })));
  const actor = query.get('actor') ?? '';
  const text = query.get('text') ?? '';
  const feeds = names.map((node) => ({ node, ...store.feed({ kind: 'events', node }) }));
  const lists = feeds.map(({ events }) => events);
  const events = useMemo(
    () => feeds.flatMap(({ node, events: own }) => own.map((event): NodeEvent => ({ ...event, node }))),
    lists,
  );
  const groups = useMemo(() => {
    const wanted = text.toLowerCase();
    return groupEvents(
      events.filter(
        (event) =>
          (actor === '' || event.actor === actor) &&
          (wanted === '' ||
            `${event.node} ${event.type} ${event.source} ${event.message}`.toLowerCase().includes(wanted)),
      ),
    );
  }, [events, actor, text]);
  const problem = feeds.find((feed) => feed.problem !== undefined);
  const set = (change: Readonly<Record<string, string>>) =>
    replaceWith('events', [], { actor, text, ...change });
  return (
    <>
      <header class="view-head">
        <h1>Events</h1>
        <FilterField text={text} onChange={(words) => set({ text: words })} />
        {actor !== '' && (
          <p class="chosen-actor">
            Only what <code>{actor}</code> caused{' '}
            <button type="button" onClick={() => set({ actor: '' })}>
              Show all
            </button>
          </p>
        )}
        <p class="soft" role="status">
          {countText(events.length, 'event')} of {countText(names.length, 'node')}, newest first
        </p>
      </header>
      {problem !== undefined && (
        <p class="problem">
          {problem.node}: {problem.problem}
        </p>
      )}
      {groups.length === 0 && <Waiting problem={undefined} what="events" />}
      <ol class="timeline">
        {groups.slice(0, mostGroups).map((group, at) => (
          <Group key={group.key} group={group} isFirst={at === 0} />
        ))}
      </ol>
    </>
  );
}

function Group({ group, isFirst }: { readonly group: EventGroup; readonly isFirst: boolean }) {
  const [isOpen, setOpen] = useState(isFirst);
  const { actor, events, nodes, startMs, endMs } = group;
  return (
    <li class={group.hasFailed ? 'failed' : ''}>
      <div class="group-head">
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> {eventTitle(events)}
        </button>
        <time>{dateText(startMs)}</time>
        <span class="soft">
          {endMs > startMs ? `over ${durationText(endMs - startMs)}, ` : ''}
          {countText(events.length, 'event')} on {nodes.join(', ')}
        </span>
        {actor === '' ? (
          <span class="soft">no call</span>
        ) : (
          <a href={linkTo('events', [], { actor })} title="everything that this call caused, on all nodes">
            call {actor.slice(0, 8)}
          </a>
        )}
      </div>
      {isOpen && <Tracks group={group} />}
    </li>
  );
}

/** The events of each node beside those of the others, on the same axis of time. */
function Tracks({ group: { events, nodes, startMs, endMs } }: { readonly group: EventGroup }) {
  return (
    <div class="tracks">
      {nodes.map((node) => (
        <section key={node} aria-label={`Events of ${node}`}>
          <h2>
            <a href={linkTo('node', [node])}>{node}</a>
          </h2>
          <ScrollRegion label={`Timeline of ${node}`} class="track-rows">
            <ol>
              {eventRows(events.filter((event) => event.node === node)).map((row) => (
                <Row key={row.id} row={row} startMs={startMs} endMs={endMs} />
              ))}
            </ol>
          </ScrollRegion>
        </section>
      ))}
    </div>
  );
}

interface RowProps {
  readonly row: EventRow;
  /** Of the whole group. */
  readonly startMs: number;
  readonly endMs: number;
}

/** Ids of events have whole seconds, so what is shorter has no length. */
const shortestShare = 0.02;

function Row({ row, startMs, endMs }: RowProps) {
  const wholeMs = Math.max(1000, endMs - startMs);
  const lengthMs = (row.endMs ?? (row.isSpan ? endMs : row.startMs)) - row.startMs;
  const share = Math.max(shortestShare, lengthMs / wholeMs);
  const from = Math.min(1 - share, (row.startMs - startMs) / wholeMs);
  const isRunning = row.isSpan && row.endMs === undefined;
  return (
    <li class={`depth-${row.depth} ${row.isSpan ? 'span' : ''} ${row.hasFailed ? 'failed' : ''}`}>
      <time title={clockText(row.startMs)}>+{Math.round((row.startMs - startMs) / 1000)}s</time>
      <span class="event-text" title={`${row.kind} ${row.source} ${row.message}`}>
        <span class="soft">{row.kind}</span> <strong>{row.source}</strong> {row.message}
        {isRunning && <span class="chip">not ended</span>}
      </span>
      <span class="event-length">{row.endMs === undefined ? '' : durationText(lengthMs)}</span>
      <svg class="event-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect x={from * 100} width={share * 100} y="2" height="6" rx="1" />
      </svg>
    </li>
  );
}
