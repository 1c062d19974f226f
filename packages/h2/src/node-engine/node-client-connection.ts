import type { ClientHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { CallFailure, OutboundCall, OutboundReceiver } from '../call.ts';
import type { ClientConnection, H2Limits } from '../engine.ts';
import { h2ErrorName } from '../error-codes.ts';
import { Liveness } from '../liveness.ts';
import type { RawHeaders } from '../raw-headers.ts';
import { nodeHttp2 } from './node-http2.ts';
import { NodeOutboundCall } from './node-outbound-call.ts';
import { sessionOptions } from './session-options.ts';

/** A connection to a backend over node:http2. */
export class NodeClientConnection implements ClientConnection {
  readonly ready: Promise<void>;
  readonly closed: Promise<void>;
  readonly #session: ClientHttp2Session;
  readonly #connectionFailure = () => this.#failure;
  #failure: CallFailure | undefined;
  readonly #liveness: Liveness | undefined;
  #callCount = 0;
  #draining = false;

  constructor(socket: Socket, limits: H2Limits) {
    // These listeners must come before those of the session, which close all streams as if they were
    // cancelled.
    socket.on('error', (error) => {
      this.#failure ??= { kind: 'connection-closed', reason: error.message };
    });
    let goaway = '';
    socket.on('close', () => {
      this.#failure ??= { kind: 'connection-closed', reason: goaway };
    });

    const session = nodeHttp2().connect('http://localhost', {
      createConnection: () => socket,
      ...sessionOptions(limits),
    });
    this.#session = session;
    keepCallsAfterGoaway(session);
    if (limits.liveness !== undefined)
      this.#liveness = new Liveness({
        ...limits.liveness,
        received: () => socket.bytesRead,
        ping: (answered) => {
          if (!session.destroyed) session.ping((error) => error === null && answered());
        },
        onDead: () => {
          this.#failure ??= { kind: 'silent' };
          session.destroy();
        },
      });
    const ready = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    this.ready = ready.promise;
    this.closed = closed.promise;
    // The pool awaits `ready`. When it stopped waiting earlier, a rejection must not crash the process.
    this.ready.catch(() => {});

    const preface = setTimeout(() => {
      this.#failure ??= { kind: 'protocol', reason: 'it does not speak HTTP/2' };
      session.destroy();
    }, limits.prefaceTimeoutMs);
    session.once('remoteSettings', () => {
      clearTimeout(preface);
      // A server that refuses the connection sends GOAWAY right after its SETTINGS; then `close` rejects
      // `ready`.
      setImmediate(() => {
        if (!session.closed && !session.destroyed) ready.resolve();
      });
    });
    session.on('goaway', (code, _lastStream, debugData?: Uint8Array) => {
      if (code !== 0) goaway = `GOAWAY ${h2ErrorName(code)}${debugText(debugData)}`;
    });
    session.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_HTTP2_ERROR') this.#failure ??= { kind: 'protocol', reason: error.message };
    });
    session.on('close', () => {
      clearTimeout(preface);
      this.#liveness?.close();
      this.#failure ??= { kind: 'connection-closed', reason: goaway };
      ready.reject(new Error(failureText(this.#failure)));
      closed.resolve();
    });
    session.setLocalWindowSize(limits.connectionWindowBytes);
  }

  get usable(): boolean {
    const { closed, destroyed } = this.#session;
    return !closed && !destroyed && !this.#draining && this.#failure === undefined;
  }

  get callCount(): number {
    return this.#callCount;
  }

  openCall(headers: RawHeaders, receiver: OutboundReceiver): OutboundCall | undefined {
    if (!this.usable) return undefined;
    const stream = this.#session.request(headers, { endStream: false });
    this.#callCount += 1;
    this.#liveness?.start();
    stream.once('close', () => {
      this.#callCount -= 1;
      if (this.#callCount === 0) this.#liveness?.stop();
      this.#closeDrained();
    });
    return new NodeOutboundCall(stream, receiver, this.#connectionFailure);
  }

  drain(): void {
    this.#draining = true;
    this.#closeDrained();
  }

  destroy(): void {
    this.#session.destroy();
  }

  /**
   * Closes only after the last call: GOAWAY can overtake the headers of a new call, and a server on
   * node:http2 then refuses the call.
   */
  #closeDrained(): void {
    if (this.#draining && this.#callCount === 0) this.#session.close();
  }
}

/**
 * node:http2 destroys a session and all its calls when a GOAWAY carries an error code. But the server has
 * accepted the calls up to the last stream of the GOAWAY, so they continue, and the session closes after the
 * last one. Source: RFC 9113, section 6.8.
 */
function keepCallsAfterGoaway(session: ClientHttp2Session): void {
  const destroy = session.destroy;
  session.destroy = (error?: Error | number, code?: number) => {
    const isGoaway = error instanceof Error && 'code' in error && error.code === 'ERR_HTTP2_SESSION_ERROR';
    if (isGoaway && !session.closed) session.close();
    else if (!isGoaway) destroy.call(session, error as Error, code);
  };
}

/** Maximum length of a GOAWAY text in an error, in bytes. */
const maxDebugBytes = 200;

/** The text of a server's GOAWAY; all bytes except printable ASCII become `?`. */
function debugText(data: Uint8Array | undefined): string {
  if (data === undefined || data.length === 0) return '';
  return `: ${Buffer.from(data.subarray(0, maxDebugBytes))
    .toString('latin1')
    .replace(/[^ -~]/g, '?')}`;
}

function failureText(failure: CallFailure): string {
  const reason = failure.kind === 'connection-closed' || failure.kind === 'protocol' ? failure.reason : '';
  if (failure.kind === 'protocol') return reason;
  return reason === '' ? 'it closed the connection' : reason;
}
