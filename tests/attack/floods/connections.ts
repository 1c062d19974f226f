import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ports } from '@nodewright/contract';
import type { FloodCounts } from '../measure/child-messages.ts';
import type { AttackTarget } from '../target/attack-target.ts';
import { RawConnection, type ServerAddress } from '../wire/raw-connection.ts';
import type { Flood } from './flood.ts';

const silentConnections = 500;
const idleSessions = 200;
const handshakesAtOnce = 16;
const handshakesPerRun = 4_000;
const resetsPerRun = 3_000;
/** So many at once that a server finds most of them reset when it accepts them. */
const resetsAtOnce = 250;
/**
 * A server keeps 128 connections without a handshake, and begins 200 handshakes per second, also of connections that were reset while they
 * waited. So it comes to the silent ones late, and must close at least so many of them. Without its limit it closes none before their
 * handshakes time out, after 10 s.
 */
const silentClosedAtLeast = 10;

/**
 * A server that comes late finds hundreds of connections at once, more than it keeps of one address: it then also closes a new one of that
 * address before it has read from it. So the other client needs an address of its own.
 */
const attackerAddress = '127.66.0.1';

type Peer = ServerAddress & { readonly localAddress?: string };

export const connectionFloods: readonly Flood[] = [
  {
    name: 'silent-apid',
    what: '500 connections to apid that never begin a handshake',
    run: (target, signal) => keepSilent({ host: target.entry.address, port: ports.apid }, signal),
  },
  {
    name: 'resets-apid',
    what: '3,000 connections to apid that are reset before it accepts them, and then 500 silent ones',
    run: (target, signal) => resetAndKeepSilent({ host: target.entry.address, port: ports.apid }, signal),
    judge: judgeSilent,
  },
  {
    name: 'handshakes-apid',
    what: 'handshakes with apid without a certificate, 16 at a time',
    run: (target, signal) => shakeHands(target, signal),
  },
  {
    name: 'idle-sessions',
    what: 'a caller without a role keeps 200 connections that make no call',
    run: (target, signal) => keepIdle(target, signal),
  },
];

/** Opens connections that send nothing, and counts how many the server has closed. */
export async function keepSilent(server: Peer, signal: AbortSignal) {
  const sockets: Socket[] = [];
  const counts = { connections: 0, endedByServer: 0 };
  for (let index = 0; index < silentConnections && !signal.aborted; index += 1) {
    const socket = connect(server);
    socket.on('error', () => {});
    socket.on('data', () => {});
    socket.on('close', () => {
      if (!signal.aborted) counts.endedByServer += 1;
    });
    sockets.push(socket);
    counts.connections += 1;
    if (index % 50 === 0) await sleep(5);
  }
  while (!signal.aborted) await sleep(100);
  for (const socket of sockets) socket.destroy();
  return counts;
}

/** Resets connections as soon as the system has opened them, and then opens silent ones. */
export async function resetAndKeepSilent(target: ServerAddress, signal: AbortSignal) {
  const server = { ...target, localAddress: attackerAddress };
  let resets = 0;
  while (resets < resetsPerRun && !signal.aborted) {
    await Promise.all(Array.from({ length: resetsAtOnce }, () => resetOne(server)));
    resets += resetsAtOnce;
  }
  return { resets, ...(await keepSilent(server, signal)) };
}

/** Resolves when the connection is closed, for any reason. */
function resetOne(server: Peer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect(server, () => socket.resetAndDestroy());
  socket.on('error', () => {});
  socket.on('close', () => resolve());
  return promise;
}

/** Whether the limit on handshakes still holds after the resets. */
export function judgeSilent({ connections = 0, endedByServer = 0 }: FloodCounts): readonly string[] {
  return connections === silentConnections && endedByServer < silentClosedAtLeast
    ? [
        `${endedByServer} of ${connections} silent connections were closed, at least ${silentClosedAtLeast} must be`,
      ]
    : [];
}

async function shakeHands({ entry }: AttackTarget, signal: AbortSignal) {
  const server = { host: entry.address, port: ports.apid };
  const counts = { handshakes: 0, refused: 0 };
  const lane = async () => {
    while (!signal.aborted && counts.handshakes < handshakesPerRun) {
      counts.handshakes += 1;
      try {
        using _connection = await RawConnection.open(server, { credentials: undefined, signal });
      } catch {
        counts.refused += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: handshakesAtOnce }, lane));
  return counts;
}

async function keepIdle({ entry, certificates }: AttackTarget, signal: AbortSignal) {
  const server = { host: entry.address, port: ports.apid };
  const counts = { connections: 0, refusedConnections: 0, endedByServer: 0 };
  using scope = new DisposableStack();
  const opened: RawConnection[] = [];
  for (let index = 0; index < idleSessions && !signal.aborted; index += 1) {
    try {
      opened.push(
        scope.use(await RawConnection.open(server, { credentials: certificates['no-role'], signal })),
      );
      counts.connections += 1;
    } catch {
      counts.refusedConnections += 1;
    }
  }
  while (!signal.aborted) await sleep(100);
  counts.endedByServer = opened.filter(({ isOpen }) => !isOpen).length;
  return counts;
}
