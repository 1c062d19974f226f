// Backends for the gateway under test. They use node:http2 directly, so that no gateway code tests itself.
import { once } from 'node:events';
import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { openUnixPath } from '@nodewright/files';
import type { Credentials } from './authority.ts';
import { framed } from './messages.ts';

/** A call as a backend receives it. */
export interface BackendCall {
  readonly path: string;
  /** Name, value, name, value, … as on the wire. */
  readonly headers: readonly string[];
  readonly stream: ServerHttp2Stream;
  readonly session: ServerHttp2Session;
  /** All values of a field. */
  values(name: string): string[];
  /** The whole request body. Resolves when the client has half-closed. */
  body(): Promise<Buffer>;
  /** Sends response headers; trailers follow with `finish`. */
  respond(fields?: Record<string, string | string[]>): void;
  finish(trailers?: Record<string, string | string[]>): void;
}

/** A returned promise may reject after the other side has cancelled the call. */
export type Behaviour = (call: BackendCall) => unknown;

const answerHead = { ':status': 200, 'content-type': 'application/grpc' } as const;

/** Answers every call with one message, empty by default, and OK. */
export function reply(body: Uint8Array = new Uint8Array()): Behaviour {
  return (call) => {
    call.stream.resume();
    call.respond();
    call.stream.write(framed(body));
    call.finish();
  };
}

/** Echoes the request's bytes. */
export const echo: Behaviour = (call) => {
  call.respond();
  call.stream.on('data', (chunk: Buffer) => {
    if (!call.stream.write(chunk)) call.stream.pause();
  });
  call.stream.on('drain', () => call.stream.resume());
  call.stream.on('end', () => call.finish());
};

/** Answers with headers only. */
export function fail(code: number, message: string, more: Record<string, string> = {}): Behaviour {
  return ({ stream }) => {
    stream.resume();
    stream.respond(
      { ...answerHead, 'grpc-status': String(code), 'grpc-message': message, ...more },
      { endStream: true },
    );
  };
}

export class Backend implements AsyncDisposable {
  readonly #server: Http2Server | Http2SecureServer;
  readonly sessions = new Set<ServerHttp2Session>();
  /** Every call so far. */
  readonly calls: BackendCall[] = [];
  /** The behaviour for the next calls. */
  behave: Behaviour = reply();
  #connections = 0;

  private constructor(server: Http2Server | Http2SecureServer) {
    this.#server = server;
    server.on('session', (session: ServerHttp2Session) => {
      this.#connections += 1;
      this.sessions.add(session);
      session.on('close', () => this.sessions.delete(session));
      session.on('error', () => {});
    });
    server.on('stream', (stream: ServerHttp2Stream, _fields, _flags, raw) => {
      stream.on('error', () => {});
      const call = backendCall(stream, raw as unknown as string[]);
      this.calls.push(call);
      // A call of an earlier test may arrive late and already cancelled; its body never ends.
      Promise.resolve(this.behave(call)).catch((error: unknown) => {
        if (!stream.aborted) throw error;
      });
    });
  }

  /** Connections accepted so far. */
  get connections(): number {
    return this.#connections;
  }

  /** A machined on a unix socket. */
  static async unix(path: string, behave?: Behaviour): Promise<Backend> {
    const server = createServer();
    const backend = new Backend(server);
    if (behave !== undefined) backend.behave = behave;
    using socket = openUnixPath(path);
    server.listen(socket.path);
    await once(server, 'listening');
    return backend;
  }

  /** The apid of another node, which requires a certificate of the same CA. */
  static async tls(
    address: string,
    port: number,
    credentials: Credentials,
    ca: string,
    behave?: Behaviour,
  ): Promise<Backend> {
    const server = createSecureServer({ ...credentials, ca, requestCert: true, rejectUnauthorized: true });
    const backend = new Backend(server);
    if (behave !== undefined) backend.behave = behave;
    server.on('sessionError', () => {});
    server.listen(port, address);
    await once(server, 'listening');
    return backend;
  }

  /** Resets every connection, as a killed process does, and keeps listening. */
  cut(): void {
    for (const session of this.sessions) {
      // The socket of a closed session is undefined.
      if (!session.destroyed) session.socket.destroy();
      session.destroy();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cut();
    await closed;
  }
}

function backendCall(stream: ServerHttp2Stream, headers: readonly string[]): BackendCall {
  const values = (name: string) =>
    headers.filter((_, index) => index % 2 === 1 && headers[index - 1] === name);
  let trailers: Record<string, string | string[]> = {};
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  return {
    path: values(':path')[0] ?? '',
    headers,
    stream,
    session: stream.session as ServerHttp2Session,
    values,
    async body() {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    },
    respond: (fields = {}) => stream.respond({ ...answerHead, ...fields }, { waitForTrailers: true }),
    finish(fields = { 'grpc-status': '0' }) {
      trailers = fields;
      stream.end();
    },
  };
}
