import { isIP } from 'node:net';
import { Channel, connectivityState, logVerbosity, setLogVerbosity } from '@grpc/grpc-js';
import { channelOptions, createRpcClient } from '@nodewright/rpc';
import type { Telemetry } from '@nodewright/telemetry';
import type { TsProtoServiceDefinition } from 'nice-grpc';
import type { HttpProxy } from '../proxy.ts';
import type { ClientIdentity } from './client-identity.ts';
import { ConnectionAttempt } from './connection-attempt.ts';
import { diagnoseConnection } from './diagnose-connection.ts';
import type { Endpoint } from './endpoint.ts';
import type {
  ConnectionState,
  EndpointConnection,
  EndpointConnectionInit,
  RawClient,
} from './endpoint-connection.ts';
import type { ServerTrust } from './tls-connection.ts';
import { TlsCredentials } from './tls-credentials.ts';

const states: Readonly<Record<connectivityState, ConnectionState>> = {
  [connectivityState.IDLE]: 'idle',
  [connectivityState.CONNECTING]: 'connecting',
  [connectivityState.READY]: 'ready',
  [connectivityState.TRANSIENT_FAILURE]: 'failed',
  [connectivityState.SHUTDOWN]: 'closed',
};

/** Stops the library from printing proxy errors. They are reported as a Fault, and would appear twice. */
function keepLibraryQuiet(): void {
  if (process.env.GRPC_VERBOSITY === undefined) setLogVerbosity(logVerbosity.NONE);
}

function proxyAddress({ host, port }: HttpProxy): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

/**
 * Channel options for a proxy of the context: the same that the library sets for a proxy of the environment.
 */
function tunnelOptions({ credentials }: HttpProxy, { address }: Endpoint): Record<string, string> {
  return {
    'grpc.http_connect_target': `dns:${address}`,
    ...(credentials === undefined ? {} : { 'grpc.http_connect_creds': credentials.reveal() }),
  };
}

/** A connection by the gRPC library, which knows how to connect through a proxy. */
export class ProxiedConnection implements EndpointConnection {
  readonly endpoint: Endpoint;
  readonly #channel: Channel;
  readonly #identity: ClientIdentity;
  readonly #trust: ServerTrust;
  readonly #proxy: HttpProxy | undefined;
  readonly #credentials: TlsCredentials;
  readonly #attempt = new ConnectionAttempt();
  #change: Promise<void> | undefined;

  constructor({ endpoint, identity, trust, proxy }: EndpointConnectionInit) {
    keepLibraryQuiet();
    this.endpoint = endpoint;
    this.#identity = identity;
    this.#trust = trust;
    this.#credentials = new TlsCredentials({ host: endpoint.host, identity, trust, attempt: this.#attempt });
    this.#proxy = proxy === 'direct' ? undefined : proxy;
    const address = this.#proxy === undefined ? endpoint.address : proxyAddress(this.#proxy);
    this.#channel = new Channel(`dns:${address}`, this.#credentials, {
      ...channelOptions,
      ...(this.#proxy === undefined ? {} : tunnelOptions(this.#proxy, endpoint)),
      'grpc.primary_user_agent': 'nodewright-client',
      'grpc.initial_reconnect_backoff_ms': 250,
      'grpc.max_reconnect_backoff_ms': 5_000,
      'grpc.enable_http_proxy': proxy === undefined ? 1 : 0,
    });
  }

  state(): ConnectionState {
    return states[this.#channel.getConnectivityState(false)];
  }

  connect(): ConnectionState {
    if (this.state() === 'idle') this.#attempt.reached('dial');
    return states[this.#channel.getConnectivityState(true)];
  }

  nextChange(): Promise<void> {
    this.#change ??= new Promise<void>((resolve) => {
      const state = this.#channel.getConnectivityState(false);
      this.#channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, () => {
        this.#change = undefined;
        resolve();
      });
    });
    return this.#change;
  }

  problem(now: Date): Promise<string> {
    return diagnoseConnection({
      endpoint: this.endpoint,
      proxy: this.#proxy,
      attempt: this.#attempt,
      identity: this.#identity,
      trust: this.#trust,
      now,
    });
  }

  client(definition: TsProtoServiceDefinition, telemetry: Telemetry): RawClient {
    return createRpcClient(definition, this.#channel, { telemetry }) as unknown as RawClient;
  }

  [Symbol.dispose](): void {
    this.#channel.close();
    this.#credentials[Symbol.dispose]();
  }
}
