import type { KindRow } from '../../../protocol/messages.ts';
import { DataTable } from '../../parts/data-table.tsx';
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
              { title: 'Phase', cell: ({ now }) => now.phase, sort: ({ now }) => now.phase },
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
