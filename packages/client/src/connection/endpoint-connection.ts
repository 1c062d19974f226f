import { isIP } from 'node:net';
import type { Telemetry } from '@nodewright/telemetry';
import type { CallOptions, TsProtoServiceDefinition } from 'nice-grpc';
import type { HttpProxy } from '../proxy.ts';
import type { ClientIdentity } from './client-identity.ts';
import { DirectConnection } from './direct-connection.ts';
import type { Endpoint } from './endpoint.ts';
import { LazyConnection } from './lazy-connection.ts';
import type { ServerTrust } from './tls-connection.ts';

export interface EndpointConnectionInit {
  readonly endpoint: Endpoint;
  readonly identity: ClientIdentity;
  readonly trust: ServerTrust;
  /** The proxy to connect through. `direct` ignores the proxies of the environment; `undefined` uses them. */
  readonly proxy: 'direct' | HttpProxy | undefined;
}

/** `ready` accepts calls; `failed` waits before the next connection attempt. */
export type ConnectionState = 'idle' | 'connecting' | 'ready' | 'failed' | 'closed';

/** The methods of a service by their keys. Options are those of nice-grpc; a failed call rejects with its `ClientError`. */
export type RawClient = Readonly<Record<string, (request: unknown, options: CallOptions) => unknown>>;

/** The connection to one endpoint, which is made again when it was lost. */
export interface EndpointConnection extends Disposable {
  readonly endpoint: Endpoint;
  state(): ConnectionState;
  /** Starts to connect, unless it is connecting, connected, or waiting before the next attempt. Returns the state. */
  connect(): ConnectionState;
  /** Resolves when the state changes. Calls made before that share one promise. */
  nextChange(): Promise<void>;
  /** Returns a short text that says why the latest attempt failed. Takes at most two seconds. */
  problem(now: Date): Promise<string>;
  /** A client of one service. Its calls fail at once unless the connection is ready. */
  client(definition: TsProtoServiceDefinition, telemetry: Telemetry): RawClient;
}

/** Addresses of this machine are never dialled through a proxy. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** The variables of the environment in which the gRPC library looks for a proxy. */
const proxyVariables = ['grpc_proxy', 'https_proxy', 'http_proxy'] as const;

/** The gRPC library takes most of the time of a short command to load, so it is used for proxies alone. */
export function openEndpointConnection(init: EndpointConnectionInit): EndpointConnection {
  const ignoresProxies =
    init.proxy === 'direct' ||
    (init.proxy === undefined &&
      (isLoopback(init.endpoint.host) || proxyVariables.every((name) => !process.env[name])));
  if (ignoresProxies) return new DirectConnection(init);
  return new LazyConnection(init.endpoint, async () => {
    const { ProxiedConnection } = await import('./proxied-connection.ts');
    return new ProxiedConnection(init);
  });
}
