import { connectRecord_StateToJSON } from '@nodewright/contract/gen/machine/machine.ts';
import { onlyMessage } from '../../nodes/only-message.ts';
import { netstatRequest } from '../../values/netstat-request.ts';
import { limits } from '../domain/limits.ts';
import { type PageFeedContext, readAtIntervals } from './page-feed-context.ts';

/** No watch reports sockets. */
const intervalMs = 5000;

/** Reads the sockets of a node and the processes that hold them. */
export function followSockets(context: PageFeedContext): Promise<void> {
  const request = netstatRequest({ all: true, programs: true });
  return readAtIntervals(context, intervalMs, async (signal) => {
    const { connectrecord: records } = onlyMessage(await context.node.machine.netstat(request, { signal }));
    return {
      kind: 'sockets',
      count: records.length,
      sockets: records.slice(0, limits.sockets).map((record) => ({
        protocol: record.l4proto,
        local: endpoint(record.localip, record.localport),
        remote: endpoint(record.remoteip, record.remoteport),
        state: connectRecord_StateToJSON(record.state),
        pid: record.process?.pid ?? 0,
        process: record.process?.name ?? '',
      })),
    };
  });
}

function endpoint(ip: string, port: number): string {
  return `${ip.includes(':') ? `[${ip}]` : ip}:${port === 0 ? '*' : port}`;
}
