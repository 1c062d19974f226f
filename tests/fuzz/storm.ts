import { connect, type NetConnectOpts, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';

/** Concurrent attempts. */
const width = 8;
/** A connection that the server leaves open is closed after this, in milliseconds. */
const patienceMs = 150;

/**
 * Opens a connection, sends bytes, and reads until either side closes it. Never throws: the server may react
 * in any way.
 */
function throwAt(open: () => Duplex, ready: string, bytes: Buffer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stream = open();
  const timer = setTimeout(() => stream.destroy(), patienceMs);
  stream.once(ready, () => stream.write(bytes));
  stream.on('error', () => {});
  stream.resume();
  stream.once('close', () => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}

export const throwAtSocket = (target: NetConnectOpts, bytes: Buffer) =>
  throwAt((): Socket => connect(target), 'connect', bytes);

export const throwInsideTls = (target: ConnectionOptions, bytes: Buffer) =>
  throwAt((): TLSSocket => connectTls(target), 'secureConnect', bytes);

/** Repeats `attempt` for `seconds`; returns the number of repetitions. */
export async function storm(seconds: number, attempt: () => Promise<void>): Promise<number> {
  const end = Date.now() + seconds * 1000;
  let count = 0;
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (Date.now() < end) {
        await attempt();
        count += 1;
      }
    }),
  );
  return count;
}
