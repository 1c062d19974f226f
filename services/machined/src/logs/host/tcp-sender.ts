import { connect, type Socket } from 'node:net';
import type { LogDestination } from '../domain/log-destination.ts';
import type { RecordSender } from './record-sender.ts';

/** The idle time after which TCP keep-alive probes detect a peer that has disappeared. */
const keepAliveDelayMs = 30_000;

/** Opens a sender that sends each record as a line. */
export function openTcpSender({ host, port }: LogDestination, timeoutMs: number): RecordSender {
  let socket: Socket | undefined;

  const connected = (): Socket => {
    // A peer that has closed its side receives nothing, although one more write would succeed.
    if (socket !== undefined && !socket.destroyed && !socket.readableEnded) return socket;
    socket?.destroy();
    const opened = connect({ host, port, keepAlive: true, keepAliveInitialDelay: keepAliveDelayMs });
    // Data of the peer is ignored, but it must be read to notice that the peer closes.
    opened.resume();
    opened.on('error', () => {});
    opened.on('end', () => opened.destroy());
    socket = opened;
    return opened;
  };

  return {
    async send(record) {
      const current = connected();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const fail = () => current.destroy(new Error(`record not accepted within ${timeoutMs / 1000}s`));
      const timer = setTimeout(fail, timeoutMs);
      try {
        current.write(`${record}\n`, (error) => (error ? reject(error) : resolve()));
        await promise;
      } catch (error) {
        // The peer may have received a part of the record; it is sent again over the next connection.
        current.destroy();
        throw current.errored ?? error;
      } finally {
        clearTimeout(timer);
      }
    },
    isUnsendable: () => false,
    async close(closeTimeoutMs) {
      const last = socket;
      if (last === undefined || last.destroyed) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      last.once('close', resolve);
      const timer = setTimeout(() => last.destroy(), closeTimeoutMs);
      if (last.connecting) last.destroy();
      else last.end(() => last.destroySoon());
      await promise;
      clearTimeout(timer);
    },
  };
}
