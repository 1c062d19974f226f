import type { Timestamp } from '@nodewright/contract/gen/google/protobuf/timestamp.ts';
import type { Time } from '@nodewright/contract/gen/time/time.ts';
import { Fault } from '@nodewright/fault';
import type { CommandModule } from '../context/command-module.ts';
import {
  addNodeOptions,
  addOutputOption,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { onlyMessage } from '../nodes/only-message.ts';
import { type NodeReport, reportNodes } from '../nodes/report-nodes.ts';
import { formatGoTime, formatTimestamp, isValidTimestamp } from '../render/go-time.ts';

function checkTime(time: Timestamp | undefined, what: string): Timestamp {
  if (time === undefined || !isValidTimestamp(time))
    throw new Fault('unknown', `the ${what} time is not valid`);
  return time;
}

function timeReport(server: string | undefined): NodeReport<Time> {
  return {
    call: async (node, signal) =>
      onlyMessage(
        server === undefined
          ? await node.time.time({}, { signal })
          : await node.time.timeCheck({ server }, { signal }),
      ),
    header: ['NODE', 'NTP-SERVER', 'NODE-TIME', 'NTP-SERVER-TIME'],
    headerWithoutRows: true,
    flushWhenIdle: true,
    rows: (node, { server, localtime, remotetime }) => [
      [
        node,
        server,
        formatGoTime(checkTime(localtime, 'local')),
        formatGoTime(checkTime(remotetime, 'remote')),
      ],
    ],
    document: ({ server, localtime, remotetime }) => ({
      server,
      localtime: formatTimestamp(checkTime(localtime, 'local')),
      remotetime: formatTimestamp(checkTime(remotetime, 'remote')),
    }),
  };
}

/** `talosctl time`. Source: Talos v1.14: time. */
export const timeCommand: CommandModule = {
  define(command, env) {
    addOutputOption(addNodeOptions(command))
      .option('--check <server>', 'time server to query instead of the one that the node uses')
      .action((options: NodeOptions & OutputOptions & { check?: string }) =>
        reportNodes(env, options, timeReport(options.check)),
      );
  },
};
