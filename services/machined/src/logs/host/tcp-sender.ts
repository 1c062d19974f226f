import { connect, type Socket } from 'node:net';
import type { LogDestination } from '../domain/log-destination.ts';
import type { RecordSender } from './record-sender.ts';

/** A peer that is gone without a word is found out after this time. */
const keepAliveDelayMs = 30_000;

/** Sends each record as a line. */
export function openTcpSender({ host, port }: LogDestination, timeoutMs: number): RecordSender {
  let socket: Socket | undefined;

  const connected = (): Socket => {
    // A peer that has closed takes nothing any more, though writing to it would work once.
    if (socket !== undefined && !socket.destroyed && !socket.readableEnded) return socket;
    socket?.destroy();
    const opened = connect({ host, port, keepAlive: true, keepAliveInitialDelay: keepAliveDelayMs });
    // What it says is of no interest, but only who reads finds out that it closes.
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
      const fail = () => current.destroy(new Error(`nothing was taken within ${timeoutMs / 1000}s`));
      const timer = setTimeout(fail, timeoutMs);
      try {
        current.write(`${record}\n`, (error) => (error ? reject(error) : resolve()));
        await promise;
      } catch (error) {
        // Whether a part has arrived nobody knows; over the next connection it is sent whole.
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
