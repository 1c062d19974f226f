import { setTimeout as sleep } from 'node:timers/promises';
import { ports } from '@nodewright/contract';
import { LogsRequest } from '@nodewright/contract/gen/machine/machine.ts';
import { messagePrefix } from '@nodewright/h2';
import type { AttackTarget } from '../target/attack-target.ts';
import { headersOf } from '../wire/call-frames.ts';
import { flags, frame, frameTypes } from '../wire/frame.ts';
import { RawConnection } from '../wire/raw-connection.ts';
import type { Flood } from './flood.ts';
import { spellings } from './spellings.ts';

const logs = '/machine.MachineService/Logs';
/** As many as one role may have open: four callers, each with two calls to 256 nodes. */
const callers = 4;
const callsPerCaller = 2;
const nodesPerCall = 256;

/** The log of apid, which has a line for each call of the other client. */
const request = LogsRequest.encode(
  LogsRequest.create({ namespace: 'system', id: 'apid', follow: true }),
).finish();
const body = Buffer.concat([messagePrefix(request.length), request]);

export const unreadFanOutFloods: readonly Flood[] = [
  {
    name: 'unread-fan-out',
    what: '4 operators each follow logs of 512 nodes, and read nothing',
    run,
    judge: ({ calls = 0, frames = 0 }) =>
      frames > calls ? [] : [`${calls} calls were sent ${frames} frames of logs, so nothing was unread`],
  },
];

async function run(target: AttackTarget, signal: AbortSignal) {
  const metadata = spellings(target.behind.name, nodesPerCall).map((name) => ['nodes', name] as const);
  const headers = headersOf({ path: logs, metadata });
  const counts = { calls: 0, frames: 0, connections: 0, refusedConnections: 0 };
  using scope = new DisposableStack();
  const opened: RawConnection[] = [];
  for (const credentials of target.reissued.slice(0, callers)) {
    try {
      // Without a WINDOW_UPDATE from here, apid may send no more than the first window.
      const server = { host: target.entry.address, port: ports.apid };
      const open = scope.use(await RawConnection.open(server, { credentials, signal }));
      counts.connections += 1;
      opened.push(open);
      const streams = Array.from({ length: await open.room(callsPerCaller) }, () => open.stream());
      const call = (stream: number) => [
        headers(stream),
        frame(frameTypes.data, flags.endStream, stream, body),
      ];
      await open.send(...streams.flatMap(call));
      counts.calls += streams.length;
    } catch {
      counts.refusedConnections += 1;
    }
  }
  while (!signal.aborted) await sleep(100);
  counts.frames = opened.reduce((sum, open) => sum + open.count(frameTypes.data), 0);
  return counts;
}
