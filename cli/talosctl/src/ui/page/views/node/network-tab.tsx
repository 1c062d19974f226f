import { useState } from 'preact/hooks';
import { DataTable } from '../../parts/data-table.tsx';
import { rateText } from '../../parts/figures.ts';
import { Panel, Waiting } from '../../parts/panel.tsx';
import type { TabProps } from './node-view.tsx';

/** Links, addresses, routes and sockets of the node. */
export function NetworkTab({ name, store, feed }: TabProps) {
  const { links = [], addresses = [], routes = [] } = feed.facts;
  const rates = new Map(feed.detail?.network.map((device) => [device.name, device]));
  return (
    <>
      <Panel title="Links">
        <DataTable
          label="Links"
          nothing="no link is known"
          rows={links}
          keyOf={({ id }) => id}
          columns={[
            { title: 'Link', cell: ({ id }) => <code>{id}</code>, sort: ({ id }) => id },
            {
              title: 'State',
              cell: ({ spec }) => spec.operationalState,
              sort: ({ spec }) => spec.operationalState,
            },
            { title: 'Received', isNumber: true, cell: ({ id }) => rateText(rates.get(id)?.inRate) },
            { title: 'Sent', isNumber: true, cell: ({ id }) => rateText(rates.get(id)?.outRate) },
            { title: 'Errors', isNumber: true, cell: ({ id }) => rates.get(id)?.errors ?? '–' },
            { title: 'MTU', isNumber: true, cell: ({ spec }) => spec.mtu },
            { title: 'Kind', cell: ({ spec }) => spec.kind || spec.type },
            { title: 'Address', isWide: true, cell: ({ spec }) => <code>{spec.hardwareAddr}</code> },
          ]}
        />
      </Panel>
      <div class="columns">
        <Panel title="Addresses">
          <DataTable
            label="Addresses"
            nothing="no address is known"
            rows={addresses}
            keyOf={({ id }) => id}
            columns={[
              { title: 'List', cell: ({ id }) => id },
              {
                title: 'Addresses',
                isWide: true,
                cell: ({ spec }) => <code>{spec.addresses.join(' ')}</code>,
              },
            ]}
          />
        </Panel>
        <Panel title="Routes">
          <DataTable
            label="Routes"
            nothing="no route is known"
            rows={routes}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Destination', cell: ({ spec }) => <code>{spec.dst || 'default'}</code> },
              { title: 'Gateway', cell: ({ spec }) => <code>{spec.gateway || '–'}</code> },
              { title: 'Link', cell: ({ spec }) => spec.outLinkName ?? '–' },
              { title: 'Table', cell: ({ spec }) => spec.table },
            ]}
          />
        </Panel>
      </div>
      <Sockets name={name} store={store} />
    </>
  );
}

function Sockets({ name, store }: Pick<TabProps, 'name' | 'store'>) {
  const [filter, setFilter] = useState('');
  const { sockets, problem } = store.feed({ kind: 'sockets', node: name });
  const wanted = filter.toLowerCase();
  const rows =
    sockets?.sockets.filter((socket) => Object.values(socket).join(' ').toLowerCase().includes(wanted)) ?? [];
  return (
    <Panel
      title="Sockets by process"
      aside={
        <>
          <label class="filter">
            Filter{' '}
            <input
              type="search"
              value={filter}
              onInput={({ currentTarget }) => setFilter(currentTarget.value)}
            />
          </label>
          {sockets !== undefined && sockets.count > sockets.sockets.length && (
            <p class="soft">
              the first {sockets.sockets.length} of {sockets.count}
            </p>
          )}
        </>
      }
    >
      {sockets === undefined ? (
        <Waiting problem={problem} what="the sockets" />
      ) : (
        <DataTable
          label="Sockets"
          nothing="no socket matches"
          rows={rows}
          order={4}
          keyOf={({ protocol, local, remote, pid, state }) => [protocol, local, remote, pid, state].join(' ')}
          columns={[
            { title: 'Protocol', cell: ({ protocol }) => protocol, sort: ({ protocol }) => protocol },
            { title: 'Local', cell: ({ local }) => <code>{local}</code>, sort: ({ local }) => local },
            { title: 'Remote', cell: ({ remote }) => <code>{remote}</code>, sort: ({ remote }) => remote },
            { title: 'State', cell: ({ state }) => state, sort: ({ state }) => state },
            {
              title: 'Process',
              isWide: true,
              cell: ({ process, pid }) =>
                pid === 0 ? <span class="soft">unknown</span> : `${process} (${pid})`,
              sort: ({ process, pid }) => (pid === 0 ? '\uffff' : process),
            },
          ]}
        />
      )}
    </Panel>
  );
}
