import type { X509Certificate } from 'node:crypto';
import { constants } from 'node:crypto';
import { createServer as createPlainServer, type Server, type Socket } from 'node:net';
import {
  createServer as createTlsServer,
  type SecureContextOptions,
  type TLSSocket,
  type Server as TlsServer,
} from 'node:tls';
import { systemTimers, type Timers } from '@nodewright/async';
import { tlsKeyExchanges } from '@nodewright/contract/tls-groups';
import { openUnixPath } from '@nodewright/files';
import type { InboundCall } from './call.ts';
import { type CallGrowth, CallGrowths } from './call-growth.ts';
import type { H2Engine, H2Limits, ServerConnection } from './engine.ts';
import { h2ErrorCodes } from './error-codes.ts';
import { h2Limits } from './h2-limits.ts';
import { HandshakeGate, type HandshakeLimits } from './handshake-gate.ts';
import { HandshakeTurns } from './handshake-turns.ts';
import { IdleWatch } from './idle-watch.ts';
import { type ListenAddress, listenAlone } from './listen-alone.ts';
import { refusalFrames } from './refusal-frames.ts';
import type { RateLimits } from './token-bucket.ts';

/** The certificate of a TLS listener, and what it requires of clients. */
export interface ServerCredentials {
  /** Both PEM. The private key is a secret. */
  readonly certificate: string;
  readonly key: string;
  /**
   * Whether the server requests a client certificate. `admit` decides whether the certificate is accepted.
   */
  readonly requestClientCertificate: boolean;
  /** PEM; each entry may hold several certificates. */
  readonly clientCas: readonly string[];
}

/** A connection that has completed its handshake and waits for admission. */
export interface Handshake {
  readonly remoteAddress: string;
  readonly remotePort: number;
  /** The client's certificate; `undefined` when it sent none or none was requested. */
  readonly certificate: X509Certificate | undefined;
  /**
   * OpenSSL's name for the problem with the certificate, such as `CERT_HAS_EXPIRED`; `undefined` without a
   * problem.
   */
  readonly certificateError: string | undefined;
}

export type Admission<P> =
  | {
      readonly admitted: true;
      readonly peer: P;
      /** Limits for this connection. Default: those of the server. */
      readonly limits?: H2Limits;
      /** When the connection must end, in milliseconds since 1970; `undefined` for never. */
      readonly validUntilMs?: number | undefined;
    }
  | {
      readonly admitted: false;
      readonly reason: string;
      /** The HTTP/2 error code that the client gets. Default: INADEQUATE_SECURITY. */
      readonly code?: number;
    };

export interface GatewayServerInit<P> {
  readonly engine: H2Engine;
  readonly limits: H2Limits;
  /** For the limit on idle connections. Default: those of the host. */
  readonly timers?: Timers;
  /** Default: those of `h2Limits`. */
  readonly handshakes?: HandshakeLimits;
  /** How many handshakes may begin at once, and per second, and how many connections may wait for theirs. */
  readonly handshakeStarts?: RateLimits & { readonly waiting: number };
  /** `undefined` for a server without TLS. */
  readonly credentials: ServerCredentials | undefined;
  /**
   * Decides whether to accept a connection, before any byte of HTTP/2 is read. The peer that it returns is
   * passed along with each call.
   */
  admit(handshake: Handshake): Admission<P>;
  onCall(call: InboundCall, peer: P): void;
  /** A connection was accepted. The owner may count it here and may end it at any time. */
  onConnection?(connection: ServerConnection, peer: P): void;
  /**
   * The connection has reached `validUntilMs` and closes soon. The owner should end its calls with a status
   * now.
   */
  onExpired?(peer: P): void;
  /** TLS or `admit` refused a connection. The text is for a log. */
  onRefused(reason: string, handshake: Handshake): void;
  /** A connection failed, during its handshake or later. The text is for a log at debug level. */
  onBroken(reason: string, handshake: Handshake): void;
}

/** How long the last frames may take to reach a client, in milliseconds. */
const flushMs = 500;
/**
 * Maximum number of refused connections that are still open to send the reason. Further ones close at once.
 */
const maxRefusing = 64;
/** The remaining time is checked again after this time, because the system clock may be set. */
const maxExpiryTimerMs = 60_000;

function tlsOptions(credentials: ServerCredentials): SecureContextOptions {
  return {
    cert: credentials.certificate,
    key: credentials.key,
    ca: [...credentials.clientCas],
    minVersion: 'TLSv1.3',
    ecdhCurve: tlsKeyExchanges,
    // Without session tickets every connection presents its certificate again, so a removed CA takes effect
    // at once.
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
}

/** Listens, admits clients, and passes their calls to the owner. */
export class GatewayServer<P> {
  readonly #init: GatewayServerInit<P>;
  readonly #server: Server;
  /** Makes the handshakes of the connections that `#server` accepts. */
  readonly #tls: TlsServer | undefined;
  readonly #gate: HandshakeGate;
  /** The connections whose handshake has not begun. */
  readonly #waiting: HandshakeGate;
  readonly #connections = new Set<ServerConnection>();
  readonly #growths = new CallGrowths();
  #refusing = 0;
  #closing = false;

  constructor(init: GatewayServerInit<P>) {
    this.#init = init;
    const {
      credentials,
      handshakes = h2Limits.handshakes,
      handshakeStarts = h2Limits.handshakeStarts,
    } = init;
    this.#gate = new HandshakeGate(handshakes);
    this.#waiting = new HandshakeGate({ inFlight: handshakeStarts.waiting });
    if (credentials === undefined) {
      this.#server = createPlainServer({ noDelay: true }, (socket) =>
        this.#admit(socket, undefined, undefined),
      );
      return;
    }
    const tls = createTlsServer({
      ...tlsOptions(credentials),
      ALPNProtocols: ['h2'],
      requestCert: credentials.requestClientCertificate,
      // #admit refuses an invalid certificate, because only there its subject can be logged.
      rejectUnauthorized: false,
      handshakeTimeout: handshakes.timeoutMs,
    });
    tls.on('secureConnection', (socket) => this.#secured(socket));
    tls.on('tlsClientError', (error, socket) => {
      const { code, reason } = error as NodeJS.ErrnoException & { reason?: string };
      // A client that connects and disconnects without sending anything, such as a health check, was not
      // refused.
      const report = code === 'ECONNRESET' ? init.onBroken : init.onRefused;
      report(`TLS handshake failed: ${reason ?? error.message}`, handshakeOf(socket));
      socket.destroy();
    });
    const turns = new HandshakeTurns({
      limits: handshakeStarts,
      begin: (socket) => {
        this.#waiting.done(socket);
        const evicted = this.#gate.begin(socket);
        if (evicted !== undefined) init.onRefused('too many TLS handshakes under way', handshakeOf(evicted));
        tls.emit('connection', socket);
      },
    });
    const options = { pauseOnConnect: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: 15_000 };
    this.#server = createPlainServer(options, (socket) => {
      // An error of a connection that waits must not end the process.
      socket.on('error', () => {});
      const evicted = this.#waiting.begin(socket);
      if (evicted !== undefined)
        init.onRefused('too many connections wait for a TLS handshake', handshakeOf(evicted));
      // The client had reset it before it was accepted.
      if (!socket.destroyed) turns.add(socket);
    });
    this.#tls = tls;
  }

  /** Number of admitted connections that are open. */
  get connectionCount(): number {
    return this.#connections.size;
  }

  /**
   * Resolves with the port (0 for a unix socket) when clients can connect; rejects with the system's error.
   */
  async listen(address: ListenAddress): Promise<number> {
    if ('path' in address) {
      using socket = openUnixPath(address.path);
      await this.#bind({ path: socket.path });
      return 0;
    }
    await this.#bind(address);
    const bound = this.#server.address();
    return bound !== null && typeof bound === 'object' ? bound.port : 0;
  }

  /** Sets the credentials for new handshakes; open connections do not change. */
  setCredentials(credentials: ServerCredentials): void {
    this.#tls?.setSecureContext(tlsOptions(credentials));
  }

  /**
   * Stops listening, sends GOAWAY to each client, waits at most `deadlineMs` for open calls, then closes the
   * remaining connections. Resolves when all sockets are closed.
   */
  async close(deadlineMs: number): Promise<void> {
    this.#closing = true;
    if (this.#server.listening) this.#server.close();
    this.#waiting.destroyAll();
    this.#gate.destroyAll();
    for (const connection of this.#connections) connection.drain();
    const allClosed = () => Promise.all([...this.#connections].map(({ closed }) => closed));
    const { promise: deadline, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, deadlineMs);
    await Promise.race([allClosed(), deadline]);
    clearTimeout(timer);
    for (const connection of this.#connections) connection.destroy();
    await allClosed();
  }

  async #bind(address: ListenAddress): Promise<void> {
    await listenAlone(this.#server, address);
    // For example, no file descriptor is left: the connection is lost, but the server continues.
    this.#server.on('error', (error) =>
      this.#init.onBroken(`listener: ${error.message}`, handshakeOf(undefined)),
    );
  }

  #secured(socket: TLSSocket): void {
    this.#gate.done(socket);
    const certificate = socket.getPeerX509Certificate();
    const error: unknown = socket.authorizationError;
    const failed = certificate !== undefined && !socket.authorized;
    this.#admit(socket, certificate, failed ? errorCode(error) : undefined);
  }

  #admit(
    socket: Socket,
    certificate: X509Certificate | undefined,
    certificateError: string | undefined,
  ): void {
    socket.on('error', () => {});
    const handshake = handshakeOf(socket, certificate, certificateError);
    if (this.#closing) {
      socket.destroy();
      return;
    }
    const admission = this.#init.admit(handshake);
    if (!admission.admitted) {
      this.#init.onRefused(admission.reason, handshake);
      const { code = h2ErrorCodes.inadequateSecurity, reason } = admission;
      this.#sendRefusal(socket, code, reason);
      return;
    }
    const { engine, onCall, onBroken } = this.#init;
    const { peer, validUntilMs, limits = this.#init.limits } = admission;
    const { maxConcurrentCalls: most } = limits;
    const first = limits.growth === undefined ? most : Math.min(this.#growths.firstOf(limits.growth), most);
    let growth: CallGrowth | undefined;
    let idle: IdleWatch | undefined;
    const connection = engine.accept(
      socket,
      { ...limits, maxConcurrentCalls: first },
      {
        onCall(call) {
          growth?.began();
          idle?.began();
          onCall(call, peer);
        },
        onError: (reason) => onBroken(reason, handshake),
      },
    );
    this.#connections.add(connection);
    if (limits.growth !== undefined) {
      growth = this.#growths.open(connection, limits.growth, first, most);
    }
    if (limits.idleMs !== undefined) {
      idle = new IdleWatch(connection, limits.idleMs, this.#init.timers ?? systemTimers);
    }
    void connection.closed.then(() => {
      this.#connections.delete(connection);
      growth?.close();
      idle?.[Symbol.dispose]();
    });
    if (validUntilMs !== undefined) this.#endAt(connection, peer, validUntilMs);
    this.#init.onConnection?.(connection, peer);
  }

  #endAt(connection: ServerConnection, peer: P, validUntilMs: number): void {
    let timer: NodeJS.Timeout;
    const look = () => {
      const leftMs = validUntilMs - Date.now();
      if (leftMs > 0) {
        timer = setTimeout(look, Math.min(leftMs, maxExpiryTimerMs));
        timer.unref();
        return;
      }
      this.#init.onExpired?.(peer);
      connection.drain();
      timer = setTimeout(() => connection.destroy(), flushMs);
    };
    look();
    void connection.closed.then(() => clearTimeout(timer));
  }

  /** Sends a refused client the reason in a GOAWAY. Nothing is read from the connection. */
  #sendRefusal(socket: Socket, code: number, reason: string): void {
    if (this.#refusing >= maxRefusing) {
      socket.destroy();
      return;
    }
    this.#refusing += 1;
    const timer = setTimeout(() => socket.destroy(), flushMs);
    socket.once('close', () => {
      this.#refusing -= 1;
      clearTimeout(timer);
    });
    socket.resume();
    socket.end(refusalFrames(code, reason));
  }
}

function handshakeOf(
  socket: Socket | undefined,
  certificate?: X509Certificate,
  certificateError?: string,
): Handshake {
  return {
    // A dual-stack listener reports IPv4 clients with IPv4-mapped addresses.
    remoteAddress: (socket?.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, ''),
    remotePort: socket?.remotePort ?? 0,
    certificate,
    certificateError,
  };
}

/** The error code of OpenSSL, which Node gives as a string or in an Error. */
function errorCode(error: unknown): string {
  if (typeof error === 'string') return error;
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException;
  return code ?? message ?? 'UNKNOWN';
}
