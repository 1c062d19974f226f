import { connect, type NetConnectOpts } from 'node:net';
import { openUnixPath } from '@nodewright/files';
import type { HealthResult } from '../../base/domain/service-health.ts';

/** Checks whether a socket accepts connections. Never throws: a failure is a result. */
export type Probe = (timeoutMs: number) => Promise<HealthResult>;

/**
 * Connects to a TCP listener and disconnects.
 *
 * @param address `host:port`; without a host it is the loopback address.
 */
export function createTcpProbe(address: string): Probe {
  const separator = address.lastIndexOf(':');
  const host = address.slice(0, separator).replace(/^\[|\]$/g, '') || '127.0.0.1';
  const port = Number(address.slice(separator + 1));
  return (timeoutMs) => probe({ host, port }, address, timeoutMs);
}

/** Connects to a unix socket and disconnects. The path may have any length. */
export function createUnixProbe(path: string): Probe {
  return async (timeoutMs) => {
    try {
      using socket = openUnixPath(path);
      return await probe({ path: socket.path }, path, timeoutMs);
    } catch (error) {
      return { healthy: false, message: error instanceof Error ? error.message : String(error) };
    }
  };
}

function probe(target: NetConnectOpts, name: string, timeoutMs: number): Promise<HealthResult> {
  const { promise, resolve } = Promise.withResolvers<HealthResult>();
  const socket = connect(target);
  const timer = setTimeout(() => fail(`connect to ${name} timed out after ${timeoutMs} ms`), timeoutMs);
  const fail = (message: string) => resolve({ healthy: false, message });
  socket.on('error', (error) => fail(error.message));
  socket.on('connect', () => resolve({ healthy: true }));
  return promise.finally(() => {
    clearTimeout(timer);
    socket.destroy();
  });
}
