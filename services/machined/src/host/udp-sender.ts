import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { LogDestination } from '../domain/log-destination.ts';
import type { RecordSender } from './record-sender.ts';

/** Sends each record as a datagram. The socket is connected, so that a destination that is not there is found out. */
export function openUdpSender({ host, port }: LogDestination, timeoutMs: number): RecordSender {
  let socket: Socket | undefined;

  const connected = async (): Promise<Socket> => {
    if (socket !== undefined) return socket;
    const { address, family } = await lookup(host);
    const opened = createSocket(family === 6 ? 'udp6' : 'udp4');
    opened.on('error', () => forget(opened));
    opened.connect(port, address);
    try {
      await once(opened, 'connect', { signal: AbortSignal.timeout(timeoutMs) });
    } catch (error) {
      forget(opened);
      throw error;
    }
    socket = opened;
    return opened;
  };
  const forget = (broken: Socket) => {
    if (socket === broken) socket = undefined;
    try {
      broken.close();
    } catch {
      // It is closed already.
    }
  };

  return {
    async send(record) {
      const current = await connected();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      current.send(record, (error) => (error ? reject(error) : resolve()));
      try {
        await promise;
      } catch (error) {
        forget(current);
        throw error;
      }
    },
    isUnsendable: (error) => (error as NodeJS.ErrnoException).code === 'EMSGSIZE',
    async close() {
      if (socket !== undefined) forget(socket);
    },
  };
}
