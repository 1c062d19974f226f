import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { openUnixPath } from '@nodewright/files';
import type { HealthResult } from '../domain/service-health.ts';

/** Checks whether a server accepts connections, or answers. Never throws: a failure is a result. */
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

/**
 * Requests a path over HTTP; an answer other than 200 is unhealthy. It speaks to a server of the node, which answers at once, so the
 * library for HTTP stays unloaded.
 *
 * @param address `host:port`
 */
export function createHttpProbe(address: string, path: string): Probe {
  const separator = address.lastIndexOf(':');
  const target = {
    host: address.slice(0, separator).replace(/^\[|\]$/g, ''),
    port: Number(address.slice(separator + 1)),
  };
  return (timeoutMs) =>
    probe(target, address, timeoutMs, (socket, settle) => {
      socket.setEncoding('latin1').once('data', (text) => {
        const status = /^HTTP\/1\.1 (\d{3}) /.exec(String(text))?.[1];
        settle(
          status === '200'
            ? { healthy: true }
            : { healthy: false, message: `${address}${path} answers with HTTP ${status}` },
        );
      });
      socket.once('end', () => settle({ healthy: false, message: `${address} does not answer` }));
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${address}\r\nconnection: close\r\n\r\n`);
    });
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

type Settle = (result: HealthResult) => void;

function probe(
  target: NetConnectOpts,
  name: string,
  timeoutMs: number,
  onConnected: (socket: Socket, settle: Settle) => void = (_socket, settle) => settle({ healthy: true }),
): Promise<HealthResult> {
  const { promise, resolve } = Promise.withResolvers<HealthResult>();
  const socket = connect(target);
  const timer = setTimeout(() => fail(`connect to ${name} timed out after ${timeoutMs} ms`), timeoutMs);
  const fail = (message: string) => resolve({ healthy: false, message });
  socket.on('error', (error) => fail(error.message));
  socket.on('connect', () => onConnected(socket, resolve));
  return promise.finally(() => {
    clearTimeout(timer);
    socket.destroy();
  });
}
