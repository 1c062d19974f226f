import { setTimeout as sleep } from 'node:timers/promises';
import { ports } from '@nodewright/contract';
import type { AttackTarget, CertificateKind } from '../target/attack-target.ts';
import { emptyRequest, headersOf } from '../wire/call-frames.ts';
import { frameTypes } from '../wire/frame.ts';
import { RawConnection } from '../wire/raw-connection.ts';
import type { Flood } from './flood.ts';

const batch = 500;

interface Shape {
  /** `reissued`: each connection has another certificate of the same role. */
  readonly kind: CertificateKind | 'reissued';
  readonly connections: number;
  readonly callsPerConnection: number;
  readonly path: string;
  readonly throughHop: boolean;
  /**
   * Opens as many calls as the server announces, also when that grows. Without it, ignores the limit, so the
   * server closes the connection.
   */
  readonly keepsLimit: boolean;
  /** The window that the server may send on each stream, in bytes; the default of HTTP/2 when `undefined`. */
  readonly window?: number;
  /** Sends complete requests; without it, each call stays open without a body. */
  readonly whole: boolean;
}

const events = '/machine.MachineService/Events';
const processes = '/machine.MachineService/Processes';

export const openCallFloods: readonly Flood[] = [
  openCalls('open-calls', 'a reader opens 60,000 calls on one connection and keeps them', {
    ...{ kind: 'reader', connections: 1, callsPerConnection: 60_000, path: events },
    ...{ throughHop: false, whole: false, keepsLimit: false },
  }),
  openCalls('open-calls-no-role', 'a caller without a role opens 60,000 calls on one connection', {
    ...{ kind: 'no-role', connections: 1, callsPerConnection: 60_000, path: events },
    ...{ throughHop: false, whole: false, keepsLimit: true },
  }),
  ...[false, true].flatMap((keepsLimit) => {
    const [name, how] = keepsLimit ? ['-within-limits', ', never more than allowed,'] : ['', ''];
    return [
      openCalls(
        `many-connections${name}`,
        `a reader opens 100 connections with 1,000 streams each${how || ','} through a hop`,
        {
          ...{ kind: 'reader', connections: 100, callsPerConnection: 1_000, path: events },
          ...{ throughHop: true, whole: true, keepsLimit },
        },
      ),
      openCalls(
        `reissued${name}`,
        `an operator opens 10,000 calls with 10 certificates${how || ','} through a hop`,
        {
          ...{ kind: 'reissued', connections: 10, callsPerConnection: 1_000, path: events },
          ...{ throughHop: true, whole: true, keepsLimit },
        },
      ),
    ];
  }),
  openCalls('unread-answers', 'a reader asks 5,000 times for processes and reads no answer', {
    ...{ kind: 'reader', connections: 5, callsPerConnection: 1_000, path: processes },
    ...{ throughHop: false, whole: true, window: 0, keepsLimit: true },
  }),
];

function openCalls(name: string, what: string, shape: Shape): Flood {
  return { name, what, run: (target, signal) => run(target, shape, signal) };
}

async function run(target: AttackTarget, shape: Shape, signal: AbortSignal) {
  const { kind, connections, callsPerConnection, path, throughHop, whole, window, keepsLimit } = shape;
  const metadata = throughHop ? ([['node', target.behind.address]] as const) : [];
  const headers = headersOf({ path, metadata });
  const server = { host: target.entry.address, port: ports.apid };
  const counts = { calls: 0, connections: 0, refusedConnections: 0, goAways: 0 };
  using scope = new DisposableStack();
  const opened: RawConnection[] = [];
  for (let index = 0; index < connections && !signal.aborted; index += 1) {
    try {
      opened.push(
        scope.use(
          await RawConnection.open(server, {
            credentials: credentialsOf(target, kind, index),
            signal,
            window,
          }),
        ),
      );
      counts.connections += 1;
    } catch {
      counts.refusedConnections += 1;
    }
  }
  const begin = async (open: RawConnection, count: number) => {
    const streams = Array.from({ length: count }, () => open.stream());
    await open.send(
      ...streams.flatMap((stream) => [headers(stream), ...(whole ? [emptyRequest(stream)] : [])]),
    );
    counts.calls += count;
  };
  if (keepsLimit) {
    const fill = async (open: RawConnection) => {
      for (let sent = 0; sent < callsPerConnection; ) {
        const count = await open.room(Math.min(batch, callsPerConnection - sent));
        if (count === 0) return;
        await begin(open, count);
        sent += count;
      }
    };
    await Promise.all(opened.map(fill));
  }
  for (let sent = 0; !keepsLimit && sent < callsPerConnection && !signal.aborted; sent += batch) {
    for (const open of opened.filter(({ isOpen }) => isOpen)) await begin(open, batch);
  }
  // Keep the calls open until the end of the measurement.
  while (!signal.aborted) await sleep(100);
  counts.goAways = opened.reduce((sum, open) => sum + open.count(frameTypes.goAway), 0);
  return counts;
}

function credentialsOf({ certificates, reissued }: AttackTarget, kind: Shape['kind'], index: number) {
  return kind === 'reissued' ? reissued[index % reissued.length] : certificates[kind];
}
