import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { InboundCall } from '../call.ts';
import {
  type ClientConnection,
  gatewayLimits,
  type H2Engine,
  type H2Limits,
  type ServerConnection,
} from '../engine.ts';

/** Opens two connected sockets: `far` was accepted, `near` has connected. */
export type OpenSockets = () => Promise<{ near: Socket; far: Socket }>;

/** The engines under test, one for each role. */
export interface EnginePair {
  readonly server: H2Engine;
  readonly client: H2Engine;
  /** The kind of sockets between them. Default: plain ones on the loopback interface. */
  readonly sockets?: { readonly kind: string; readonly open: OpenSockets };
}

export interface OpenPair extends AsyncDisposable {
  readonly client: ClientConnection;
  readonly server: ServerConnection;
  /** The sockets under the two connections, for tests that break them. */
  readonly clientSocket: Socket;
  readonly serverSocket: Socket;
  /** The errors that the server's side reported. */
  readonly errors: string[];
}

/** Opens two connected plain sockets on the loopback interface. */
export async function openSocketPair(): Promise<{ near: Socket; far: Socket }> {
  const listener = createServer();
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const near = connect((listener.address() as AddressInfo).port, '127.0.0.1');
  const [[far]] = await Promise.all([once(listener, 'connection'), once(near, 'connect')]);
  listener.close();
  return { near, far };
}

/** Opens a connection with an engine on each end, ready for calls. */
export async function openPair(
  engines: EnginePair,
  onCall: (call: InboundCall) => void,
  limits: Partial<H2Limits> = {},
): Promise<OpenPair> {
  const { near, far } = await (engines.sockets?.open ?? openSocketPair)();
  const errors: string[] = [];
  const all = { ...gatewayLimits, ...limits };
  const server = engines.server.accept(far, all, { onCall, onError: (reason) => errors.push(reason) });
  const client = engines.client.connect(near, all);
  await client.ready;
  return {
    client,
    server,
    clientSocket: near,
    serverSocket: far,
    errors,
    async [Symbol.asyncDispose]() {
      client.destroy();
      server.destroy();
      await Promise.all([client.closed, server.closed]);
    },
  };
}

/** Resolves when no connection has an open call; throws after a minute. */
export async function noCalls(...connections: readonly { readonly callCount: number }[]): Promise<void> {
  const counts = () => connections.map(({ callCount }) => callCount);
  for (const endMs = performance.now() + 60_000; counts().some((count) => count > 0); ) {
    if (performance.now() > endMs) throw new Error(`calls are left over: ${counts().join(', ')}`);
    await delay(5);
  }
}
