import type { Http2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { Server, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import { ByteBudget, HandshakeGate } from '@nodewright/h2';

/** The limits of a server, for all of its clients together and for each connection. */
export interface TransportLimits {
  /** Open calls per connection; the server refuses further streams. */
  readonly maxConcurrentCalls: number;
  /** Request bytes of one connection, read or unread, that are counted until their calls end. */
  readonly connectionReceiveBytes: number;
  /** The same limit for all connections together. */
  readonly serverReceiveBytes: number;
  /**
   * Concurrent TLS handshakes. Above the limit, the address with the most handshakes loses its oldest one.
   */
  readonly handshakesInFlight: number;
}

/**
 * For sockets between daemons of a node, whose callers the gateway has already limited. One message may have
 * 32 MiB.
 */
export const localTransportLimits: TransportLimits = {
  maxConcurrentCalls: 4096,
  connectionReceiveBytes: 40 * 1024 * 1024,
  serverReceiveBytes: 96 * 1024 * 1024,
  handshakesInFlight: 128,
};

export interface TransportLimitsInit extends TransportLimits {
  /** Called when a call is refused because a budget is exhausted. The text is for a log. */
  onRefused(path: string, reason: string): void;
}

/** The key of the limits in the options of a server. The library ignores unknown options. */
const optionKey = 'nodewright.transport_limits';

/** More resets, or refused streams, than a connection can carry. The library stores it in 32 bits. */
const unlimitedResets = 2 ** 31;

interface Http2ServerLike {
  prependListener(event: 'stream', listener: (stream: ServerHttp2Stream, fields: Fields) => void): void;
  prependListener(event: 'connection' | 'secureConnection', listener: (socket: Socket) => void): void;
}

type Fields = Readonly<Record<string, string | string[] | undefined>>;

interface ServerInternals {
  readonly options: Readonly<Record<string, unknown>>;
  readonly commonServerOptions: Record<string, unknown>;
  createHttp2Server(credentials: { _isSecure(): boolean }): Http2ServerLike;
}

let isWrapped = false;

/**
 * Options of a grpc-js server with these limits. The library exposes neither its HTTP/2 server nor the
 * server's options, so its function that creates them is wrapped, once per process. Throws when that function
 * does not exist.
 */
export function transportOptions(init: TransportLimitsInit): Record<string, unknown> {
  wrapServer();
  return { [optionKey]: init, 'grpc.max_concurrent_streams': init.maxConcurrentCalls };
}

function wrapServer(): void {
  if (isWrapped) return;
  const internals = Server.prototype as unknown as ServerInternals;
  const create = internals.createHttp2Server;
  if (typeof create !== 'function')
    throw new Error('this version of @grpc/grpc-js takes no transport limits');
  isWrapped = true;
  internals.createHttp2Server = function (this: ServerInternals, credentials) {
    const init = this.options[optionKey] as TransportLimitsInit | undefined;
    if (init === undefined) return create.call(this, credentials);
    // The library's own limit of resets would break all calls on the connection.
    Object.assign(this.commonServerOptions, {
      maxSessionRejectedStreams: unlimitedResets,
      streamResetBurst: unlimitedResets,
      streamResetRate: unlimitedResets,
    });
    const server = create.call(this, credentials);
    limitBytes(server, init);
    if (credentials._isSecure()) limitHandshakes(server, init);
    return server;
  };
}

function limitHandshakes(server: Http2ServerLike, { handshakesInFlight }: TransportLimits): void {
  const gate = new HandshakeGate({ inFlight: handshakesInFlight });
  server.prependListener('connection', (socket) => gate.begin(socket));
  server.prependListener('secureConnection', (socket) => gate.done(socket));
}

/** The bytes of a call that count against the budgets. */
const heldBytes = new WeakMap<object, { release(): void }>();

function limitBytes(server: Http2ServerLike, init: TransportLimitsInit): void {
  const all = new ByteBudget(init.serverReceiveBytes);
  const connections = new WeakMap<Http2Session, ByteBudget>();
  server.prependListener('stream', (stream, fields) => {
    const { session } = stream;
    if (session === undefined) return;
    const budget = connections.get(session) ?? new ByteBudget(init.connectionReceiveBytes, all);
    connections.set(session, budget);
    countArrivals(stream, budget, (full) => {
      const scope = full === all ? 'this server' : 'this connection';
      const reason = `requests under way on ${scope} hold more than ${full.limitBytes} bytes, try again later`;
      init.onRefused(String(fields[':path']), reason);
      refuse(stream, reason);
    });
  });
}

/** Counts the body of a request as it arrives, read or unread. */
function countArrivals(
  stream: ServerHttp2Stream,
  budget: ByteBudget,
  onFull: (full: ByteBudget) => void,
): void {
  let held = 0;
  let isRefused = false;
  const release = () => {
    budget.give(held);
    held = 0;
  };
  heldBytes.set(stream, { release });
  stream.once('close', release);
  const push = stream.push;
  // node:http2 delivers each DATA frame by `push`, also to a stream that is paused.
  stream.push = (chunk: Uint8Array | null, ...rest) => {
    if (isRefused && chunk !== null) return true;
    const full = chunk === null ? undefined : budget.take(chunk.length);
    if (chunk !== null && full === undefined) held += chunk.length;
    if (full === undefined) return push.call(stream, chunk, ...rest);
    isRefused = true;
    onFull(full);
    return true;
  };
}

function refuse(stream: ServerHttp2Stream, reason: string): void {
  if (stream.destroyed) return;
  if (stream.headersSent) {
    stream.close(enhanceYourCalm);
    return;
  }
  const trailersOnly = { ':status': 200, 'content-type': 'application/grpc' };
  stream.respond(
    { ...trailersOnly, 'grpc-status': String(status.RESOURCE_EXHAUSTED), 'grpc-message': reason },
    { endStream: true },
  );
  // After the response: the RST_STREAM asks the client to stop sending.
  setImmediate(() => {
    if (!stream.destroyed) stream.close(noError);
    stream.resume();
  });
}

/** HTTP/2 error codes. Source: RFC 9113, section 7. */
const noError = 0;
const enhanceYourCalm = 11;

/**
 * Frees the bytes of a client stream's message when the handler receives it, so such a call may carry more
 * than the budget. A call with one message holds its bytes until it ends.
 */
export const releaseStreamedBytes: ServerInterceptor = (method, call) => {
  const { stream } = call as unknown as { stream?: object };
  const held = stream === undefined ? undefined : heldBytes.get(stream);
  if (!method.requestStream || held === undefined) return call as ServerInterceptingCall;
  return new ServerInterceptingCall(call, {
    start: (next) =>
      next({
        onReceiveMessage(message, deliver) {
          held.release();
          deliver(message);
        },
      }),
  });
};
