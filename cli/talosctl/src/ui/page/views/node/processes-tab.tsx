import { useState } from 'preact/hooks';
import { DataTable } from '../../parts/data-table.tsx';
import { bytesText, durationText, percentText } from '../../parts/figures.ts';
import { Panel, Waiting } from '../../parts/panel.tsx';
import type { TabProps } from './node-view.tsx';

/** The processes of the node, as `top` shows them. */
export function ProcessesTab({ feed: { detail, problem } }: TabProps) {
  const [filter, setFilter] = useState('');
  if (detail === undefined) return <Waiting problem={problem} what="the processes" />;
  const wanted = filter.toLowerCase();
  const rows = detail.processes.filter(({ command, name, pid }) =>
    [command, name, String(pid)].some((text) => text.toLowerCase().includes(wanted)),
  );
  return (
    <Panel
      title="Processes"
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
          <p class="soft">
            {rows.length < detail.processCount && `${rows.length} of `}
            {detail.processCount} processes
          </p>
        </>
      }
    >
      <DataTable
        label="Processes"
        nothing="no process matches"
        rows={rows}
        order={2}
        keyOf={({ pid }) => pid}
        columns={[
          { title: 'PID', isNumber: true, cell: ({ pid }) => pid, sort: ({ pid }) => pid },
          { title: 'State', cell: ({ state }) => state, sort: ({ state }) => state },
          { title: 'CPU', isNumber: true, cell: ({ cpu }) => percentText(cpu), sort: ({ cpu }) => cpu ?? -1 },
          {
            title: 'CPU time',
            isNumber: true,
            cell: ({ cpuSeconds }) => durationText(cpuSeconds * 1000),
            sort: ({ cpuSeconds }) => cpuSeconds,
          },
          {
            title: 'Memory',
            isNumber: true,
            cell: ({ residentBytes }) => bytesText(residentBytes),
            sort: ({ residentBytes }) => residentBytes,
          },
          {
            title: 'Threads',
            isNumber: true,
            cell: ({ threads }) => threads,
            sort: ({ threads }) => threads,
          },
          { title: 'Name', cell: ({ name }) => name, sort: ({ name }) => name },
          { title: 'Command', isWide: true, cell: ({ command }) => <code title={command}>{command}</code> },
        ]}
      />
    </Panel>
  );
}
