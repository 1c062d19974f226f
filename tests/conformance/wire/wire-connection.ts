import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { tlsPrivateKey } from '@nodewright/pki';
import { WireCall } from './wire-call.ts';

/** PEM of the client's certificate and key, and of the CA that it trusts. */
export interface WireIdentity {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

export type WireMetadata = Readonly<Record<string, string | readonly string[]>>;

export interface WireCallInit {
  readonly metadata?: WireMetadata;
  /** Sent as `grpc-timeout`. This side does not enforce it. */
  readonly deadlineMs?: number;
  readonly contentType?: string;
}

const windowBytes = 8 * 1024 * 1024;
const connectTimeoutMs = 15_000;

/**
 * The suite's own client connection: mutual TLS and HTTP/2 without a gRPC library, which would repair, retry
 * or hide errors.
 */
export class WireConnection implements Disposable {
  readonly #session: ClientHttp2Session;

  private constructor(session: ClientHttp2Session) {
    this.#session = session;
  }

  /** @param address `host:port`, an IPv6 address in brackets */
  static async open(address: string, { ca, certificate, key }: WireIdentity): Promise<WireConnection> {
    const session = connect(`https://${address}`, {
      ca,
      cert: certificate,
      key: tlsPrivateKey(key),
      settings: { initialWindowSize: windowBytes, enablePush: false },
      // A request of 32 MiB waits here for the peer's flow-control window.
      maxSessionMemory: 512,
    });
    const timer = setTimeout(
      () => session.destroy(new Error(`no connection within ${connectTimeoutMs} ms`)),
      connectTimeoutMs,
    );
    try {
      await once(session, 'connect');
    } finally {
      clearTimeout(timer);
    }
    session.setLocalWindowSize(windowBytes);
    // An error of the connection also ends each of its calls, which report it.
    session.on('error', () => {});
    return new WireConnection(session);
  }

  get isOpen(): boolean {
    return !this.#session.closed && !this.#session.destroyed;
  }

  /** The protocol that ALPN selected in the TLS handshake. */
  get applicationProtocol(): string | undefined {
    return this.#session.alpnProtocol;
  }

  /** @param path `/package.Service/Method` */
  call(
    path: string,
    { metadata = {}, deadlineMs, contentType = 'application/grpc' }: WireCallInit = {},
  ): WireCall {
    const fields = Object.entries(metadata).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : [...value],
    ]);
    const stream = this.#session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': contentType,
      te: 'trailers',
      ...(deadlineMs === undefined ? {} : { 'grpc-timeout': `${Math.round(deadlineMs * 1000)}u` }),
      ...Object.fromEntries(fields),
    });
    return new WireCall(stream);
  }

  [Symbol.dispose](): void {
    this.#session.destroy();
  }
}
