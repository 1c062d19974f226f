import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { pause } from '@nodewright/async';
import type { LogDestination } from '../domain/log-destination.ts';
import type { RecordSender } from './record-sender.ts';

/** The time to wait for the ICMP error of a host without a receiver. */
const refusalMs = 100;

/** A connected UDP socket and its state. */
interface Connection {
  readonly socket: Socket;
  /** Aborts with the error that closed the connection. */
  readonly broken: AbortController;
  /** Whether a record was sent over this connection without an error in return. */
  isProven: boolean;
}

/**
 * Opens a sender that sends each record as a datagram. The socket is connected, so that the kernel reports a
 * host without a receiver. The first record over a connection counts as sent only if no error returns. Later
 * records may be lost, as is usual for UDP.
 */
export function openUdpSender({ host, port }: LogDestination, timeoutMs: number): RecordSender {
  let connection: Connection | undefined;

  const forget = (of: Connection, error?: unknown) => {
    if (connection === of) connection = undefined;
    if (of.broken.signal.aborted) return;
    of.broken.abort(error);
    of.socket.close();
  };
  const connected = async (): Promise<Connection> => {
    if (connection !== undefined) return connection;
    const { address, family } = await lookup(host);
    const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
    const opened: Connection = { socket, broken: new AbortController(), isProven: false };
    socket.on('error', (error) => forget(opened, error));
    try {
      socket.connect(port, address);
      await once(socket, 'connect', { signal: AbortSignal.timeout(timeoutMs) });
    } catch (error) {
      forget(opened, error);
      throw error;
    }
    connection = opened;
    return opened;
  };

  return {
    async send(record) {
      const current = await connected();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      current.socket.send(record, (error) => (error ? reject(error) : resolve()));
      try {
        await promise;
      } catch (error) {
        forget(current, error);
        throw error;
      }
      if (current.isProven) return;
      const { signal } = current.broken;
      await pause(refusalMs, signal);
      signal.throwIfAborted();
      current.isProven = true;
    },
    isUnsendable: (error) => (error as NodeJS.ErrnoException).code === 'EMSGSIZE',
    async close() {
      if (connection !== undefined) forget(connection);
    },
  };
}
