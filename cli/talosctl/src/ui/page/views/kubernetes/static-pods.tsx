import type { PodRow } from '../../../protocol/messages.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { StateDot } from '../../parts/state-dot.tsx';
import { linkTo } from '../../shell/route.ts';

export interface NodePod extends PodRow {
  readonly node: string;
  /** Whether the node is away, so that this is what was known before. */
  readonly isOld: boolean;
}

/** Static pods with their state. */
export function StaticPods({
  pods,
  nothing,
}: {
  readonly pods: readonly NodePod[];
  readonly nothing: string;
}) {
  return (
    <DataTable
      label="Static pods"
      nothing={nothing}
      rows={pods}
      keyOf={({ node, name }) => `${node} ${name}`}
      columns={[
        {
          title: 'Pod',
          cell: ({ name, isReady, isOld }) => (
            <>
              <StateDot
                condition={isOld ? 'unknown' : isReady ? 'good' : 'warning'}
                title={isOld ? 'not known' : isReady ? 'ready' : 'not ready'}
              />{' '}
              <code>{name}</code>
            </>
          ),
          sort: ({ name }) => name,
        },
        {
          title: 'Node',
          cell: ({ node }) => <a href={linkTo('node', [node, 'pods'])}>{node}</a>,
          sort: ({ node }) => node,
        },
        { title: 'Phase', cell: ({ phase }) => phase, sort: ({ phase }) => phase },
        {
          title: 'Ready',
          cell: ({ isReady, isOld }) => `${isReady ? 'yes' : 'no'}${isOld ? ' before' : ''}`,
          sort: ({ isReady }) => Number(isReady),
        },
        {
          title: 'Restarts',
          isNumber: true,
          cell: ({ restarts }) => restarts,
          sort: ({ restarts }) => restarts,
        },
        { title: 'Reason', isWide: true, cell: ({ reason }) => reason },
      ]}
    />
  );
}
