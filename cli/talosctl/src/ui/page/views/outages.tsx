import type { Outage } from '../../protocol/messages.ts';
import { DataTable } from '../parts/data-table.tsx';
import { clockText, durationText } from '../parts/figures.ts';
import { Panel } from '../parts/panel.tsx';
import { linkTo } from '../shell/route.ts';

interface OutagesProps {
  readonly outages: readonly Outage[];
  readonly number: number;
  readonly now: number;
}

/** When nodes were away and checks failed, since the program was started. */
export function Outages({ outages, number, now }: OutagesProps) {
  return (
    <Panel title="Outages seen" number={number}>
      <DataTable
        label="Outages seen"
        nothing="None since this program was started. Checks run only while a page is open."
        rows={outages}
        keyOf={({ kind, name, fromMs }) => `${kind} ${name} ${fromMs}`}
        columns={[
          {
            title: 'What',
            cell: ({ kind, name, isForUpgrade }) =>
              kind === 'node' ? (
                <>
                  node{' '}
                  <a class="in-text" href={linkTo('node', [name])}>
                    {name}
                  </a>
                  {isForUpgrade && <span class="soft"> restarted for its upgrade</span>}
                </>
              ) : (
                name
              ),
            sort: ({ name }) => name,
          },
          {
            title: 'From',
            cell: ({ fromMs }) => <time>{clockText(fromMs)}</time>,
            sort: ({ fromMs }) => fromMs,
          },
          {
            title: 'To',
            cell: ({ toMs, isForUpgrade }) =>
              toMs === undefined ? (
                <strong class={isForUpgrade ? 'warning-text' : 'bad-text'}>lasts</strong>
              ) : (
                <time>{clockText(toMs)}</time>
              ),
            sort: ({ toMs = now }) => toMs,
          },
          {
            title: 'Length',
            cell: ({ fromMs, toMs = now }) => durationText(toMs - fromMs),
            sort: ({ fromMs, toMs = now }) => toMs - fromMs,
            isNumber: true,
          },
          { title: 'First failure', isWide: true, cell: ({ reason }) => reason || '–' },
        ]}
      />
    </Panel>
  );
}
