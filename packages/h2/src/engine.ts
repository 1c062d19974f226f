import type { Socket } from 'node:net';
import type { InboundCall, OutboundCall, OutboundReceiver } from './call.ts';
import type { GrowthLimits } from './call-growth.ts';
import { h2Limits } from './h2-limits.ts';
import { type LivenessLimits, nodeLiveness } from './liveness.ts';
import type { RawHeaders } from './raw-headers.ts';
import type { RateLimits } from './token-bucket.ts';

/** The limits that one end of a connection sets for its peer. */
export interface H2Limits {
  /**
   * Flow-control windows of each call and of the connection, in bytes: body in flight before the receiver has
   * read any.
   */
  readonly streamWindowBytes: number;
  readonly connectionWindowBytes: number;
  readonly maxHeaderListBytes: number;
  /**
   * Maximum number of open calls per connection. Further streams are refused. A peer that knows the limit and
   * exceeds it loses its connection.
   */
  readonly maxConcurrentCalls: number;
  /**
   * How GatewayServer raises the limit of a client's connection up to `maxConcurrentCalls`; `undefined` for
   * all at once.
   */
  readonly growth: GrowthLimits | undefined;
  /**
   * How many calls a client may cancel. Above this rate the connection ends with ENHANCE_YOUR_CALM;
   * `undefined` for no limit.
   */
  readonly cancels: RateLimits | undefined;
  /**
   * How long the peer may take until its first HTTP/2 bytes after the connection is open, in milliseconds.
   */
  readonly prefaceTimeoutMs: number;
  /**
   * How long the peer may take to acknowledge the first SETTINGS, in milliseconds; then the connection ends
   * with SETTINGS_TIMEOUT. Only the frame engine has this limit.
   */
  readonly settingsTimeoutMs: number;
  /**
   * How long a connection of a client may have no call, in milliseconds, before GatewayServer drains it; it
   * may be twice as long. `undefined` for no limit.
   */
  readonly idleMs: number | undefined;
  /**
   * How long a backend that has answered may take to read the rest of the request, in milliseconds; then the
   * stream is reset.
   */
  readonly requestRestMs: number;
  /** How a client detects a peer that stopped responding; `undefined` to wait as long as the kernel does. */
  readonly liveness: LivenessLimits | undefined;
}

/**
 * HTTP/2 in both roles, over a connected socket that has TLS already where it is wanted. Listening, TLS,
 * dialling and pooling are built on top of this interface and do not depend on the engine.
 */
export interface H2Engine {
  readonly name: string;
  /** Serves calls on an accepted socket. The engine now owns the socket. */
  accept(socket: Socket, limits: H2Limits, handlers: ServerHandlers): ServerConnection;
  /** Makes calls on a connected socket. The engine now owns the socket. */
  connect(socket: Socket, limits: H2Limits): ClientConnection;
}

/** What an engine may ask of its process. */
export interface EngineHooks {
  /** Has V8 collect new objects, which takes half a millisecond. Called between calls while long bodies arrive. */
  collectNewObjects?(): void;
}

export interface ServerHandlers {
  onCall(call: InboundCall): void;
  /** The connection failed, or the peer does not speak HTTP/2. The text is for a log. */
  onError(reason: string): void;
}

/** A client's connection. */
export interface ServerConnection {
  /** Number of open calls. */
  readonly callCount: number;
  /**
   * Sets how many calls the client may have open. Calls `onAcknowledged` when the client has acknowledged the
   * SETTINGS.
   */
  allowCalls(count: number, onAcknowledged: () => void): void;
  /**
   * Sends GOAWAY with the last accepted call; the client makes further calls elsewhere. Open calls continue,
   * and the connection closes after the last one.
   */
  drain(): void;
  /**
   * Ends the connection and its calls at once, with a GOAWAY that has this HTTP/2 error code. `onError` gets
   * the reason.
   */
  end(code: number, reason: string): void;
  destroy(): void;
  /** Resolves when the socket is closed, for any reason. */
  readonly closed: Promise<void>;
}

/** The peer does not speak HTTP/2, or violates it. The message is a phrase with the peer as `it`. */
export class Http2Violation extends Error {}

/** A connection to a backend. */
export interface ClientConnection {
  /**
   * Resolves when the backend has sent its SETTINGS; rejects with an Error when it closes first or takes too
   * long. Only the frame engine tells by an Http2Violation that it sent something else.
   */
  readonly ready: Promise<void>;
  /**
   * `false` when no new call can be made: the connection is closing or closed, or the backend sent GOAWAY.
   */
  readonly usable: boolean;
  readonly callCount: number;
  /** Makes a call. Returns `undefined` when the connection is not usable; then nothing was sent. */
  openCall(headers: RawHeaders, receiver: OutboundReceiver): OutboundCall | undefined;
  /** Accepts no new calls, and closes after the last open one. */
  drain(): void;
  destroy(): void;
  readonly closed: Promise<void>;
}

/**
 * Limits between the suite's own daemons. Servers for untrusted clients set lower ones. The windows are the
 * same as in upstream. Source: Talos v1.14: server-side gRPC settings of apid.
 */
export const gatewayLimits: H2Limits = {
  streamWindowBytes: 65_535 * 32,
  connectionWindowBytes: 65_535 * 16,
  maxHeaderListBytes: 16 * 1024 * 1024,
  maxConcurrentCalls: 2 ** 32 - 1,
  growth: undefined,
  cancels: undefined,
  prefaceTimeoutMs: 30_000,
  settingsTimeoutMs: 30_000,
  idleMs: undefined,
  requestRestMs: h2Limits.requestRestMs,
  liveness: nodeLiveness,
};
