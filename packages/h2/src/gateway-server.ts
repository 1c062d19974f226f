import type { X509Certificate } from 'node:crypto';
import { constants } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createPlainServer, type Server, type Socket } from 'node:net';
import {
  createServer as createTlsServer,
  type SecureContextOptions,
  type TLSSocket,
  type Server as TlsServer,
} from 'node:tls';
import { openUnixPath } from '@nodewright/files';
import type { InboundCall } from './call.ts';
import { type CallGrowth, CallGrowths } from './call-growth.ts';
import type { H2Engine, H2Limits, ServerConnection } from './engine.ts';
import { h2ErrorCodes } from './error-codes.ts';
import { HandshakeGate, type HandshakeLimits } from './handshake-gate.ts';
import { refusalFrames } from './refusal-frames.ts';

/** What a TLS listener shows and asks of clients. */
export interface ServerCredentials {
  /** PEM. The private key is a secret. */
  readonly certificate: string;
  readonly key: string;
  /** Whether clients are asked for a certificate. What it must be like is for `admit` to say. */
  readonly requestClientCertificate: boolean;
  /** PEM, one or more certificates an entry. */
  readonly clientCas: readonly string[];
}

/** A connection that has completed its handshake and asks to be let in. */
export interface Handshake {
  readonly remoteAddress: string;
  readonly remotePort: number;
  /** The client's own certificate; undefined when it sent none or was not asked. */
  readonly certificate: X509Certificate | undefined;
  /** OpenSSL's name for what is wrong with the certificate, such as `CERT_HAS_EXPIRED`; undefined when nothing is. */
  readonly certificateError: string | undefined;
}

export type Admission<P> =
  | {
      readonly admitted: true;
      readonly peer: P;
      /** Instead of those of the server. */
      readonly limits?: H2Limits;
      /** The connection ends then, whatever happens on it. Milliseconds since 1970; undefined: never. */
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
  /** Default: 128 at once, 10 s each. */
  readonly handshakes?: HandshakeLimits;
  /** Undefined: no TLS. */
  readonly credentials: ServerCredentials | undefined;
  /** Decides about a connection before any byte of HTTP/2 is read. What it returns goes with every call. */
  admit(handshake: Handshake): Admission<P>;
  onCall(call: InboundCall, peer: P): void;
  /** A connection was let in. Whoever limits connections counts it here, and may end it at any time. */
  onConnection?(connection: ServerConnection, peer: P): void;
  /** The time of a connection is over: it is about to be closed, and its calls want a status. */
  onExpired?(peer: P): void;
  /** A connection was not let in, by TLS or by `admit`. The text is for a log. */
  onRefused(reason: string, handshake: Handshake): void;
  /** A connection broke, at its handshake or later. The text is for a log, and seldom worth one. */
  onBroken(reason: string, handshake: Handshake): void;
}

export type ListenAddress = { readonly host?: string; readonly port: number } | { readonly path: string };

const defaultHandshakes: HandshakeLimits = { inFlight: 128, timeoutMs: 10_000 };
/** How long the last words to clients may take to leave, in milliseconds. */
const farewellMs = 500;
/** Clients that are being told why they are not let in; more are cut at once. */
const maxParting = 64;
/** The clock of the system may be set meanwhile: the time that is left is looked at again after this long. */
const maxExpiryTimerMs = 60_000;

function tlsOptions(credentials: ServerCredentials): SecureContextOptions {
  return {
    cert: credentials.certificate,
    key: credentials.key,
    ca: [...credentials.clientCas],
    minVersion: 'TLSv1.3',
    // Every connection shows its certificate again, so that a withdrawn authority is withdrawn at once.
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
}

/** Listens, lets clients in, and hands out their calls. */
export class GatewayServer<P> {
  readonly #init: GatewayServerInit<P>;
  readonly #server: Server;
  readonly #gate: HandshakeGate;
  readonly #connections = new Set<ServerConnection>();
  readonly #growths = new CallGrowths();
  #parting = 0;
  #closing = false;

  constructor(init: GatewayServerInit<P>) {
    this.#init = init;
    const { credentials, handshakes = defaultHandshakes } = init;
    this.#gate = new HandshakeGate(handshakes);
    if (credentials === undefined) {
      this.#server = createPlainServer({ noDelay: true }, (socket) =>
        this.#admit(socket, undefined, undefined),
      );
      return;
    }
    const server = createTlsServer({
      ...tlsOptions(credentials),
      ALPNProtocols: ['h2'],
      requestCert: credentials.requestClientCertificate,
      // A wrong certificate is refused in #admit, which can still say whose it was.
      rejectUnauthorized: false,
      handshakeTimeout: handshakes.timeoutMs,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 15_000,
    });
    server.on('connection', (socket: Socket) => {
      const evicted = this.#gate.begin(socket);
      if (evicted !== undefined) init.onRefused('too many TLS handshakes under way', handshakeOf(evicted));
    });
    server.on('secureConnection', (socket) => this.#secured(socket));
    server.on('tlsClientError', (error, socket) => {
      const { code, reason } = error as NodeJS.ErrnoException & { reason?: string };
      // Whoever connects and goes away without a word, as health checks do, was not refused.
      const tell = code === 'ECONNRESET' ? init.onBroken : init.onRefused;
      tell(`TLS handshake failed: ${reason ?? error.message}`, handshakeOf(socket));
      socket.destroy();
    });
    this.#server = server;
  }

  /** Connections that are open and let in. */
  get connectionCount(): number {
    return this.#connections.size;
  }

  /** Resolves with the port (0 for a unix socket) when clients can connect; rejects with the system's error. */
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

  /** New handshakes use these from now on; open connections stay as they are. */
  setCredentials(credentials: ServerCredentials): void {
    (this.#server as TlsServer).setSecureContext(tlsOptions(credentials));
  }

  /**
   * Stops listening, tells every client to go elsewhere with new calls, waits for calls under way for at most
   * `deadlineMs`, then cuts what is left. Resolves when all sockets are closed.
   */
  async close(deadlineMs: number): Promise<void> {
    this.#closing = true;
    if (this.#server.listening) this.#server.close();
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

  async #bind(options: { host?: string; port: number } | { path: string }): Promise<void> {
    // `once` rejects when the server emits an error first, such as EADDRINUSE.
    this.#server.listen(options);
    await once(this.#server, 'listening');
    // Out of descriptors, for one: the connection is lost, the server goes on.
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
      this.#sayFarewell(socket, code, reason);
      return;
    }
    const { engine, onCall, onBroken } = this.#init;
    const { peer, validUntilMs, limits = this.#init.limits } = admission;
    const { maxConcurrentCalls: most } = limits;
    const first = limits.growth === undefined ? most : Math.min(this.#growths.firstOf(limits.growth), most);
    let growth: CallGrowth | undefined;
    const connection = engine.accept(
      socket,
      { ...limits, maxConcurrentCalls: first },
      {
        onCall(call) {
          growth?.began();
          onCall(call, peer);
        },
        onError: (reason) => onBroken(reason, handshake),
      },
    );
    this.#connections.add(connection);
    if (limits.growth !== undefined) {
      growth = this.#growths.open(connection, limits.growth, first, most);
    }
    void connection.closed.then(() => {
      this.#connections.delete(connection);
      growth?.close();
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
      timer = setTimeout(() => connection.destroy(), farewellMs);
    };
    look();
    void connection.closed.then(() => clearTimeout(timer));
  }

  /** Tells a client that is not let in why, in the GOAWAY of a connection of which nothing is read. */
  #sayFarewell(socket: Socket, code: number, reason: string): void {
    if (this.#parting >= maxParting) {
      socket.destroy();
      return;
    }
    this.#parting += 1;
    const timer = setTimeout(() => socket.destroy(), farewellMs);
    socket.once('close', () => {
      this.#parting -= 1;
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
    // A listener for both families sees IPv4 clients mapped.
    remoteAddress: (socket?.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, ''),
    remotePort: socket?.remotePort ?? 0,
    certificate,
    certificateError,
  };
}

/** OpenSSL's code, which Node gives as a string or inside an Error. */
function errorCode(error: unknown): string {
  if (typeof error === 'string') return error;
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException;
  return code ?? message ?? 'UNKNOWN';
}
