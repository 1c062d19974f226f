// A scripted gateway over real TLS and HTTP/2, which talosctl cannot distinguish from an apid.
import {
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type CertificateAndKey, tlsPrivateKey } from '@nodewright/pki';

/**
 * A call as it arrives. Exactly one of `reply`, `fail` and `drop` ends it; `send` adds to a stream before
 * that.
 */
export interface FakeCall {
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly metadata: IncomingHttpHeaders;
  /** Value of the metadata key `node`. */
  readonly node: string | undefined;
  /** The first request message. */
  readonly request: Buffer;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  /** Sends the response headers. */
  begin(): void;
  send(message: Uint8Array): void;
  end(): void;
  fail(code: number, message: string): void;
  /** Closes the connection during the call. */
  drop(): void;
}

export type FakeHandler = (call: FakeCall) => unknown;

export interface FakeGatewayInit {
  readonly identity: CertificateAndKey;
  /** CA of clients; without it every client is accepted. */
  readonly clientCa?: string;
  /** Closes each connection after the handshake, as a gateway does that verifies certificates itself. */
  readonly closeAfterHandshake?: boolean;
  /** Handlers by full method path. Other methods are UNIMPLEMENTED. */
  readonly handlers?: Readonly<Record<string, FakeHandler>>;
  readonly host?: string;
  /** Default: any free port. */
  readonly port?: number;
}

function frame(message: Uint8Array): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
}

function answer(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  request: Buffer,
  handler: FakeHandler,
): void {
  const gone = new AbortController();
  stream.once('close', () => gone.abort());
  const finish = (status: Record<string, string>) => {
    if (stream.destroyed) return;
    if (!stream.headersSent) {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...status }, { endStream: true });
      return;
    }
    stream.once('wantTrailers', () => stream.sendTrailers(status));
    stream.end();
  };
  const call: FakeCall = {
    path: headers[':path'] as string,
    metadata: headers,
    node: headers.node as string | undefined,
    request: request.subarray(5),
    signal: gone.signal,
    begin() {
      if (stream.destroyed || stream.headersSent) return;
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    },
    send(message) {
      if (stream.destroyed) return;
      call.begin();
      stream.write(frame(message));
    },
    end: () => finish({ 'grpc-status': '0' }),
    fail: (code, message) => finish({ 'grpc-status': String(code), 'grpc-message': encodeURI(message) }),
    drop: () => stream.session?.socket.destroy(),
  };
  void handler(call);
}

/** A running fake. */
export class FakeGateway implements AsyncDisposable {
  /** The calls so far, in order of arrival. */
  readonly calls: { readonly path: string; readonly node: string | undefined }[] = [];
  /** `host:port`, as an endpoint is written. Unchanged after the gateway was killed. */
  address = '';
  readonly #server: Http2SecureServer;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Http2SecureServer) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('sessionError', () => {});
  }

  static async listen(init: FakeGatewayInit): Promise<FakeGateway> {
    const { identity, clientCa, handlers = {}, host = '127.0.0.1', port = 0 } = init;
    const server = createSecureServer({
      cert: identity.certificate,
      key: tlsPrivateKey(identity.key),
      minVersion: 'TLSv1.3',
      requestCert: clientCa !== undefined,
      rejectUnauthorized: clientCa !== undefined,
      ...(clientCa === undefined ? {} : { ca: clientCa }),
    });
    const gateway = new FakeGateway(server);
    if (init.closeAfterHandshake) server.on('secureConnection', (socket: TLSSocket) => socket.destroy());
    server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      stream.on('error', () => {});
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const path = headers[':path'] as string;
        gateway.calls.push({ path, node: headers.node as string | undefined });
        const unimplemented: FakeHandler = (call) => call.fail(12, `unknown method ${path}`);
        answer(stream, headers, Buffer.concat(chunks), handlers[path] ?? unimplemented);
      });
    });
    await new Promise<void>((resolve) => server.listen(port, host, resolve));
    const bound = server.address() as AddressInfo;
    gateway.address = `${bound.address}:${bound.port}`;
    return gateway;
  }

  /** Number of open connections. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Ends as a killed process does: every connection is reset, and the port is closed. */
  kill(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
  }
}
