import { DataTable } from '../../parts/data-table.tsx';
import { bytesText, percentText, rateText } from '../../parts/figures.ts';
import { Meter, Panel, Waiting } from '../../parts/panel.tsx';
import type { TabProps } from './node-view.tsx';

/** What is mounted on the node, and its disks. */
export function StorageTab({ feed: { storage, detail, problem } }: TabProps) {
  if (storage === undefined) return <Waiting problem={problem} what="the mounts" />;
  return (
    <>
      <Panel title="Mounts">
        <DataTable
          label="Mounts"
          nothing="nothing is mounted"
          rows={storage.mounts}
          keyOf={({ at, source }) => `${at} ${source}`}
          columns={[
            {
              title: 'Mounted at',
              isWide: true,
              cell: ({ at }) => <code title={at}>{at}</code>,
              sort: ({ at }) => at,
            },
            {
              title: 'Used',
              cell: ({ sizeBytes, freeBytes }) => {
                const share = (sizeBytes - freeBytes) / sizeBytes;
                return <Meter share={share} text={percentText(share)} label="used" />;
              },
              sort: ({ sizeBytes, freeBytes }) => (sizeBytes - freeBytes) / sizeBytes,
            },
            {
              title: 'Free',
              isNumber: true,
              cell: ({ freeBytes }) => bytesText(freeBytes),
              sort: ({ freeBytes }) => freeBytes,
            },
            {
              title: 'Size',
              isNumber: true,
              cell: ({ sizeBytes }) => bytesText(sizeBytes),
              sort: ({ sizeBytes }) => sizeBytes,
            },
            {
              title: 'Source',
              cell: ({ source }) => <code>{source}</code>,
              sort: ({ source }) => source,
            },
          ]}
        />
      </Panel>
      <Panel title="Disks">
        <DataTable
          label="Disks"
          nothing="the node reports no disk"
          rows={storage.disks}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Disk', cell: ({ name }) => <code>{name}</code> },
            { title: 'Size', isNumber: true, cell: ({ sizeBytes }) => bytesText(sizeBytes) },
            { title: 'Type', cell: ({ type, isSystem }) => `${type}${isSystem ? ', system' : ''}` },
            { title: 'Model', isWide: true, cell: ({ model }) => model },
          ]}
        />
      </Panel>
      <Panel title="Disk activity">
        <DataTable
          label="Disk activity"
          nothing="no disk has been used since the node started"
          rows={detail?.disks ?? []}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Device', cell: ({ name }) => <code>{name}</code> },
            { title: 'Read', isNumber: true, cell: ({ inRate }) => rateText(inRate) },
            { title: 'Written', isNumber: true, cell: ({ outRate }) => rateText(outRate) },
            {
              title: 'Busy',
              isWide: true,
              cell: ({ busy }) => <Meter share={busy} text={percentText(busy)} label="busy" />,
            },
          ]}
        />
      </Panel>
    </>
  );
}
