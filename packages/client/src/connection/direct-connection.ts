import { isIP, type LookupFunction, type TcpNetConnectOpts } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type ConnectionOptions, connect as tlsConnect } from 'node:tls';
import { Fault } from '@nodewright/fault';
import {
  type ClientConnection,
  frameEngine,
  gatewayLimits,
  type H2Limits,
  Http2Violation,
} from '@nodewright/h2/client';
import type { Telemetry } from '@nodewright/telemetry';
import type { TsProtoServiceDefinition } from 'nice-grpc';
import { ConnectionAttempt } from './connection-attempt.ts';
import { diagnoseConnection } from './diagnose-connection.ts';
import { createDirectClient } from './direct-client.ts';
import type { Endpoint } from './endpoint.ts';
import type {
  ConnectionState,
  EndpointConnection,
  EndpointConnectionInit,
  RawClient,
} from './endpoint-connection.ts';
import { establish, tlsOptions } from './tls-connection.ts';

/** The windows are those of every client of the suite. A server of upstream allows no PINGs that check whether it lives. */
const limits: H2Limits = { ...gatewayLimits, maxHeaderListBytes: 64 * 1024, liveness: undefined };

/** How long one attempt to connect may take, in milliseconds. */
const defaultAttemptMs = 20_000;
/** How long the next address of a name waits for the one before it to answer, in milliseconds. */
const addressTimeoutMs = 2_000;
/** The silence after which the kernel asks whether the server is still there, in milliseconds. */
const keepAliveMs = 15_000;
/** The time between two attempts, in milliseconds, and the part of it by which it varies. Source: gRPC, connection backoff. */
const backoff = { firstMs: 250, lastMs: 5_000, factor: 1.6, jitter: 0.2 } as const;

/** An HTTP/2 connection over TLS to one endpoint, without a proxy. */
export class DirectConnection implements EndpointConnection {
  readonly endpoint: Endpoint;
  readonly #init: EndpointConnectionInit;
  readonly #attemptMs: number;
  readonly #options: ConnectionOptions & TcpNetConnectOpts;
  /** The last attempt that has ended, or carries calls. */
  #attempt = new ConnectionAttempt();
  #dials = 0;
  /** Those that still connect, and those that carry calls after the server asked for another connection. */
  readonly #sockets = new Set<TLSSocket>();
  #state: ConnectionState = 'idle';
  #ready: { readonly connection: ClientConnection; readonly socket: TLSSocket } | undefined;
  #change: PromiseWithResolvers<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #backoffMs: number = backoff.firstMs;

  /** @param attemptMs how long one attempt to connect may take, in milliseconds */
  constructor(init: EndpointConnectionInit, attemptMs = defaultAttemptMs) {
    this.#attemptMs = attemptMs;
    const { endpoint, identity, trust } = init;
    this.endpoint = endpoint;
    this.#init = init;
    this.#options = {
      ...tlsOptions({ host: endpoint.host, identity, trust }),
      port: endpoint.port,
      autoSelectFamilyAttemptTimeout: addressTimeoutMs,
      ...(isIP(endpoint.host) === 0 ? { lookup: this.#lookup } : {}),
    };
  }

  state(): ConnectionState {
    // The server has announced the end of the connection, and calls that it carries go on.
    if (this.#state === 'ready' && this.#ready?.connection.usable !== true) this.#lost();
    return this.#state;
  }

  connect(): ConnectionState {
    if (this.state() === 'idle') {
      this.#setState('connecting');
      void this.#dial();
    }
    return this.#state;
  }

  nextChange(): Promise<void> {
    this.#change ??= Promise.withResolvers<void>();
    return this.#change.promise;
  }

  problem(now: Date): Promise<string> {
    const { endpoint, identity, trust } = this.#init;
    return diagnoseConnection({ endpoint, proxy: undefined, attempt: this.#attempt, identity, trust, now });
  }

  client(definition: TsProtoServiceDefinition, telemetry: Telemetry): RawClient {
    const { address } = this.endpoint;
    return createDirectClient(definition, {
      authority: address,
      telemetry,
      openCall: (headers, receiver) => this.#ready?.connection.openCall(headers, receiver),
      holdProcess: () => this.#holdProcess(),
    });
  }

  async #dial(): Promise<void> {
    const { trust } = this.#init;
    const attempt = new ConnectionAttempt();
    const socket = tlsConnect(this.#options);
    this.#dials += 1;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.once('connect', () => attempt.reached('handshake'));
    // A server that lost its power would be waited for without an end.
    socket.setKeepAlive(true, keepAliveMs);
    // While no call is open, the process may end.
    socket.unref();
    const timer = setTimeout(() => {
      attempt.failed(new Fault('deadline-exceeded', `it did not answer within ${this.#attemptMs / 1000} s`));
      socket.destroy();
    }, this.#attemptMs).unref();
    try {
      const connection = frameEngine.connect(await establish(socket, { attempt, trust }), limits);
      await connection.ready;
      this.#attempt = attempt;
      this.#opened(connection, socket);
    } catch (error) {
      // All other reasons are in the attempt already.
      if (error instanceof Http2Violation) attempt.explained(error);
      socket.destroy();
      this.#attempt = attempt;
      this.#failed();
    } finally {
      clearTimeout(timer);
    }
  }

  /** TLS is tried with one address only, so the next dial begins with the one after it: a name may stand for several control planes. */
  readonly #lookup: LookupFunction = (hostname, options, callback) => {
    const first = this.#dials - 1;
    // Loaded for names only.
    process.getBuiltinModule('node:dns').lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const at = first % addresses.length;
      const rotated = [...addresses.slice(at), ...addresses.slice(0, at)];
      const [{ address = '', family = 0 } = {}] = rotated;
      if (options.all) callback(null, rotated);
      else callback(null, address, family);
    });
  };

  #opened(connection: ClientConnection, socket: TLSSocket): void {
    if (this.#state === 'closed') return;
    this.#backoffMs = backoff.firstMs;
    // Again, because each address of a host is tried with a socket of its own.
    socket.unref();
    this.#ready = { connection, socket };
    this.#setState('ready');
    void connection.closed.then(() => {
      if (this.#ready?.connection === connection) this.#lost();
    });
  }

  #lost(): void {
    this.#ready = undefined;
    if (this.#state === 'ready') this.#setState('idle');
  }

  /** Stays failed until an attempt succeeds, so that a call meanwhile fails at once. */
  #failed(): void {
    if (this.#state === 'closed') return;
    const varied = 1 + backoff.jitter * (2 * Math.random() - 1);
    this.#retry = setTimeout(() => void this.#dial(), this.#backoffMs * varied).unref();
    this.#backoffMs = Math.min(this.#backoffMs * backoff.factor, backoff.lastMs);
    this.#setState('failed');
  }

  #setState(state: ConnectionState): void {
    if (this.#state === state) return;
    this.#state = state;
    const change = this.#change;
    this.#change = undefined;
    change?.resolve();
  }

  /** Keeps the process alive until the result is disposed, because a call waits for its answer. */
  #holdProcess(): Disposable {
    const socket = this.#ready?.socket;
    if (socket === undefined) return { [Symbol.dispose]() {} };
    const held = (holds.get(socket) ?? 0) + 1;
    holds.set(socket, held);
    if (held === 1) socket.ref();
    return {
      [Symbol.dispose]() {
        const left = (holds.get(socket) ?? 1) - 1;
        holds.set(socket, left);
        if (left === 0) socket.unref();
      },
    };
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#retry);
    this.#ready = undefined;
    this.#setState('closed');
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Open calls by socket. */
const holds = new WeakMap<TLSSocket, number>();
