import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { Deadline, pause, unlessAborted } from '@nodewright/async';
import type { LogDestination } from '../domain/log-destination.ts';
import type { RecordSender } from './record-sender.ts';

/** The time to wait for the ICMP error of a host without a receiver. */
const refusalMs = 100;

/** Finds the address of a name. */
type LookUp = (name: string) => Promise<{ readonly address: string; readonly family: number }>;

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
export function openUdpSender(
  { host, port }: LogDestination,
  timeoutMs: number,
  lookUp: LookUp = lookup,
): RecordSender {
  let connection: Connection | undefined;
  const closing = new AbortController();
  let finding: ReturnType<LookUp> | undefined;
  /** A look-up cannot be cancelled, and holds a thread: when it outlives the time limit of a record, the next one waits for it. */
  const findAddress = () => {
    finding ??= lookUp(host).finally(() => {
      finding = undefined;
    });
    return finding;
  };

  const forget = (of: Connection, error?: unknown) => {
    if (connection === of) connection = undefined;
    if (of.broken.signal.aborted) return;
    of.broken.abort(error);
    of.socket.close();
  };
  const connected = async (): Promise<Connection> => {
    if (connection !== undefined) return connection;
    closing.signal.throwIfAborted();
    using deadline = new Deadline(timeoutMs, closing.signal);
    const { address, family } = await unlessAborted(findAddress(), deadline.signal);
    const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
    const opened: Connection = { socket, broken: new AbortController(), isProven: false };
    socket.on('error', (error) => forget(opened, error));
    try {
      socket.connect(port, address);
      await once(socket, 'connect', { signal: deadline.signal });
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
      closing.abort(new Error('the sender is closed'));
      if (connection !== undefined) forget(connection);
    },
  };
}
