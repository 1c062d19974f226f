// A gRPC client that uses node:http2 directly and returns the fields and bytes of the wire.
import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import { decodeGrpcMessage } from '@nodewright/h2';
import { framed } from './messages.ts';

export interface CallOptions {
  /** Metadata: name, value pairs in order. */
  readonly metadata?: readonly (readonly [string, string])[];
  /** The request: one empty message by default. */
  readonly body?: Uint8Array;
  /** Pseudo-header and fixed fields to send instead of the usual ones. */
  readonly head?: Readonly<Record<string, string>>;
  /** Leaves the request open: the caller writes and ends it. */
  readonly open?: boolean;
}

export interface CallResult {
  readonly httpStatus: number | undefined;
  /** Response headers and trailers, as on the wire. */
  readonly headers: readonly string[];
  readonly trailers: readonly string[];
  readonly body: Buffer;
  /** `undefined` when the call ended without one. */
  readonly code: number | undefined;
  readonly message: string;
  /** HTTP/2 error code with which the stream closed. */
  readonly rstCode: number;
}

export interface OpenCall {
  readonly stream: ClientHttp2Stream;
  /** Resolves with the response headers. */
  readonly headers: Promise<readonly string[]>;
  /** Resolves when the stream is closed. */
  readonly result: Promise<CallResult>;
}

/** The value of a field in a flat list. */
export function fieldOf(headers: readonly string[], name: string): string | undefined {
  return fieldsOf(headers, name)[0];
}

export function fieldsOf(headers: readonly string[], name: string): string[] {
  return headers.filter((_, index) => index % 2 === 1 && headers[index - 1] === name);
}

export class Client implements AsyncDisposable {
  readonly session: ClientHttp2Session;
  readonly socket: TLSSocket;
  readonly #closed: Promise<unknown>;

  private constructor(socket: TLSSocket) {
    this.socket = socket;
    this.session = connect('https://localhost', {
      createConnection: () => socket,
      settings: { initialWindowSize: 1024 * 1024 },
      peerMaxConcurrentStreams: 10_000,
      // In MB. By default node:http2 refuses answers once the requests that wait to be sent have 10 MB.
      maxSessionMemory: 1024,
      maxSendHeaderBlockLength: 1024 * 1024,
    });
    this.session.on('error', () => {});
    this.#closed = new Promise((resolve) => this.session.once('close', resolve));
  }

  /** Connects; rejects when the handshake fails. */
  static async connect(options: ConnectionOptions): Promise<Client> {
    const socket = connectTls({ ALPNProtocols: ['h2'], ...options });
    await once(socket, 'secureConnect');
    const client = new Client(socket);
    // Wait for the SETTINGS frame, as gRPC clients do: before it the stream limit is unknown.
    const { session } = client;
    await Promise.race(['remoteSettings', 'close'].map((event) => once(session, event).catch(() => {})));
    return client;
  }

  /** Makes a call and waits for its end. */
  call(path: string, options: CallOptions = {}): Promise<CallResult> {
    return this.open(path, options).result;
  }

  open(path: string, options: CallOptions = {}): OpenCall {
    const { metadata = [], body = framed(new Uint8Array()), head = {} } = options;
    const fields = Object.entries({
      ':method': 'POST',
      ':scheme': 'https',
      ':authority': 'gateway.test',
      ':path': path,
      te: 'trailers',
      'content-type': 'application/grpc',
      ...head,
    });
    const stream = this.session.request([...fields, ...metadata].flat(), { endStream: false });
    stream.on('error', () => {});
    const headers = Promise.withResolvers<readonly string[]>();
    const result = collect(stream, headers.resolve);
    if (options.open !== true) stream.end(body);
    return { stream, headers: headers.promise, result };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.session.destroy();
    await this.#closed;
  }
}

function collect(stream: ClientHttp2Stream, onHeaders: (headers: string[]) => void): Promise<CallResult> {
  let headers: string[] = [];
  let trailers: string[] = [];
  const chunks: Buffer[] = [];
  stream.on('response', (_fields, _flags, raw) => {
    headers = raw as unknown as string[];
    onHeaders(headers);
  });
  stream.on('trailers', (_fields, _flags, raw?: unknown) => {
    trailers = raw as string[];
  });
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const { promise, resolve } = Promise.withResolvers<CallResult>();
  stream.on('close', () => {
    const code = fieldOf(trailers, 'grpc-status') ?? fieldOf(headers, 'grpc-status');
    const message = fieldOf(trailers, 'grpc-message') ?? fieldOf(headers, 'grpc-message') ?? '';
    const status = fieldOf(headers, ':status');
    resolve({
      httpStatus: status === undefined ? undefined : Number(status),
      headers,
      trailers,
      body: Buffer.concat(chunks),
      code: code === undefined ? undefined : Number(code),
      message: decodeGrpcMessage(message),
      rstCode: stream.rstCode,
    });
  });
  return promise;
}
