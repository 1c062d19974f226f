import type { KindRow } from '../../../protocol/messages.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { clockText, countText } from '../../parts/figures.ts';
import { Waiting } from '../../parts/panel.tsx';
import type { FeedState, KeptResource } from '../../store/feed-state.ts';

interface ResourceListProps {
  readonly kind: KindRow;
  readonly feed: FeedState;
  readonly chosen: string;
  readonly linkOf: (id: string) => string;
}

/** The resources of a kind, live. */
export function ResourceList({ kind, feed: { resources, problem }, chosen, linkOf }: ResourceListProps) {
  const rows = [...(resources?.values() ?? [])];
  // A resource that is not being removed has always the same phase.
  const isSettled = rows.every(({ now }) => now.phase === 'running');
  return (
    <section class="resource-list" aria-label={kind.name}>
      <h2>
        {kind.name} <span class="soft">{kind.namespace}</span>
      </h2>
      {problem !== undefined && <p class="problem">{problem}</p>}
      {resources === undefined ? (
        problem === undefined && <Waiting problem={undefined} what="the resources" />
      ) : (
        <>
          <p class="soft" role="status">
            {countText(rows.filter(({ isGone }) => !isGone).length, 'resource')}, live
          </p>
          <DataTable<KeptResource>
            label={`Resources of kind ${kind.name}`}
            nothing="there is none at the moment"
            rows={rows}
            keyOf={({ now }) => now.id}
            isSelected={({ now }) => now.id === chosen}
            order={0}
            columns={[
              {
                title: 'Id',
                isWide: true,
                cell: ({ now, isGone }) => (
                  <a href={linkOf(now.id)} class={isGone ? 'gone' : ''}>
                    {now.id}
                  </a>
                ),
                sort: ({ now }) => now.id,
              },
              {
                title: 'Version',
                isNumber: true,
                cell: ({ now, isGone }) => (isGone ? 'gone' : now.version),
                sort: ({ now }) => now.version,
              },
              ...kind.columns.map((title, at) => columnOf(title, at)),
              ...(isSettled
                ? []
                : [
                    {
                      title: 'Phase',
                      cell: ({ now }: KeptResource) => now.phase,
                      sort: ({ now }: KeptResource) => now.phase,
                    },
                  ]),
              {
                title: 'Changed',
                cell: ({ now }) => <time>{clockText(now.updatedMs)}</time>,
                sort: ({ now }) => now.updatedMs,
              },
            ]}
          />
        </>
      )}
    </section>
  );
}

/** A column of the kind, as `talosctl get` shows it. */
function columnOf(title: string, at: number): Column<KeptResource> {
  const textOf = ({ now }: KeptResource) => now.cells[at] ?? '';
  return { title: titleOf(title), cell: (row) => <code>{textOf(row)}</code>, sort: textOf };
}

/** `LINK STATE` becomes `Link state`. */
const titleOf = (title: string) => title.charAt(0).toUpperCase() + title.slice(1).toLowerCase();
