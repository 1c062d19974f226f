import { isIP } from 'node:net';
import { Channel, connectivityState, logVerbosity, setLogVerbosity } from '@grpc/grpc-js';
import { channelOptions } from '@nodewright/rpc';
import type { HttpProxy } from '../proxy.ts';
import type { ClientIdentity } from './client-identity.ts';
import { ConnectionAttempt } from './connection-attempt.ts';
import { diagnoseConnection } from './diagnose-connection.ts';
import type { Endpoint } from './endpoint.ts';
import { type ServerTrust, TlsCredentials } from './tls-credentials.ts';

export interface EndpointConnectionInit {
  readonly endpoint: Endpoint;
  readonly identity: ClientIdentity;
  readonly trust: ServerTrust;
  /** By which proxy to connect; `direct` ignores those that the environment names. */
  readonly proxy: 'direct' | HttpProxy | undefined;
}

/** `ready` can take a call now; `failed` was tried and waits before it is tried again. */
export type ConnectionState = 'idle' | 'connecting' | 'ready' | 'failed' | 'closed';

const states: Readonly<Record<connectivityState, ConnectionState>> = {
  [connectivityState.IDLE]: 'idle',
  [connectivityState.CONNECTING]: 'connecting',
  [connectivityState.READY]: 'ready',
  [connectivityState.TRANSIENT_FAILURE]: 'failed',
  [connectivityState.SHUTDOWN]: 'closed',
};

/** A proxy is never asked for an address of this machine. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** The library prints what goes wrong with a proxy; here that becomes a Fault, and is not to be told twice. */
function keepLibraryQuiet(): void {
  if (process.env.GRPC_VERBOSITY === undefined) setLogVerbosity(logVerbosity.NONE);
}

function proxyAddress({ host, port }: HttpProxy): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

/** What the library makes of a proxy that the environment names, for one that the context names. */
function tunnelOptions({ credentials }: HttpProxy, { address }: Endpoint): Record<string, string> {
  return {
    'grpc.http_connect_target': `dns:${address}`,
    ...(credentials === undefined ? {} : { 'grpc.http_connect_creds': credentials.reveal() }),
  };
}

/** The channel to one endpoint, and what became of the latest attempt to connect. */
export class EndpointConnection implements Disposable {
  readonly endpoint: Endpoint;
  readonly channel: Channel;
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
    this.channel = new Channel(`dns:${address}`, this.#credentials, {
      ...channelOptions,
      ...(this.#proxy === undefined ? {} : tunnelOptions(this.#proxy, endpoint)),
      'grpc.primary_user_agent': 'nodewright-client',
      'grpc.initial_reconnect_backoff_ms': 250,
      'grpc.max_reconnect_backoff_ms': 5_000,
      'grpc.enable_http_proxy': proxy !== undefined || isLoopback(endpoint.host) ? 0 : 1,
    });
  }

  state(): ConnectionState {
    return states[this.channel.getConnectivityState(false)];
  }

  /** Starts to connect unless that is under way or done. */
  wake(): ConnectionState {
    if (this.state() === 'idle') this.#attempt.reached('dial');
    return states[this.channel.getConnectivityState(true)];
  }

  /** Resolves when the state is no longer what it is now. Asking again before that costs nothing. */
  nextChange(): Promise<void> {
    this.#change ??= new Promise<void>((resolve) => {
      const state = this.channel.getConnectivityState(false);
      this.channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, () => {
        this.#change = undefined;
        resolve();
      });
    });
    return this.#change;
  }

  /** Why the latest attempt failed, in a few words. Takes two seconds at most. */
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

  [Symbol.dispose](): void {
    this.channel.close();
    this.#credentials[Symbol.dispose]();
  }
}
