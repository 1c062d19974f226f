import type { StatusResponse } from '@nodewright/contract/gen/suite/registry/v1/registry.ts';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { reportNodes } from '../../nodes/report-nodes.ts';
import { formatDecimalSize } from '../../render/size.ts';
import { addRegistryCommand, type RegistryOptions, timeText } from './registry-options.ts';

/** `talosctl registry status`: what the image cache of each node holds, serves and downloads. */
export function defineRegistryStatus(registry: Command, env: CliEnvironment): void {
  addRegistryCommand(registry, 'status', 'Show the state of the image cache').action(
    (_: RegistryOptions, command: Command) =>
      reportNodes<StatusResponse>(env, command.optsWithGlobals<RegistryOptions>(), {
        call: (node, signal) => node.registry.status({}, { signal }),
        header: [
          ...['NODE', 'ADDRESS', 'IMAGES', 'BLOBS', 'SIZE', 'USED', 'LIMIT', 'FREE'],
          ...['TRANSFERS', 'DOWNLOADED', 'SERVED', 'COLLECTED', 'REMOVED', 'FREED', 'LAST ERROR'],
        ],
        headerWithoutRows: false,
        flushWhenIdle: false,
        rows: (node, status) => [statusRow(node, status)],
        document: (status) => status,
      }),
  );
}

function statusRow(node: string, status: StatusResponse): string[] {
  const { contents, lastCollection, transfers } = status;
  const { images = 0, blobs = 0, blobBytes = 0n } = contents ?? {};
  const rate = transfers.reduce((sum, { bytesPerSecond }) => sum + bytesPerSecond, 0n);
  return [
    ...[node, status.listenAddress, String(images), String(blobs), formatDecimalSize(blobBytes)],
    ...[status.usedBytes, status.limitBytes, status.freeBytes].map(formatDecimalSize),
    transfers.length === 0 ? '0' : `${transfers.length} (${formatDecimalSize(rate)}/s)`,
    ...[status.downloadedBytes, status.servedBytes].map(formatDecimalSize),
    ...(lastCollection === undefined
      ? ['', '', '']
      : [
          timeText(lastCollection.time),
          String(lastCollection.removedFiles),
          formatDecimalSize(lastCollection.freedBytes),
        ]),
    status.lastError,
  ];
}
