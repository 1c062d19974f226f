import type { Socket } from 'node:net';
import type { InboundCall, OutboundCall, OutboundReceiver } from './call.ts';
import type { GrowthLimits } from './call-growth.ts';
import { type LivenessLimits, nodeLiveness } from './liveness.ts';
import type { RawHeaders } from './raw-headers.ts';
import type { RateLimits } from './token-bucket.ts';

/** What an end of a connection grants its peer. */
export interface H2Limits {
  /** Body bytes in flight a call, and a connection, before the receiver must have taken some. */
  readonly streamWindowBytes: number;
  readonly connectionWindowBytes: number;
  readonly maxHeaderListBytes: number;
  /** Open calls of one connection. More are refused as a stream; a peer that saw the limit and ignores it is cut. */
  readonly maxConcurrentCalls: number;
  /** How GatewayServer lets a client's connection come to `maxConcurrentCalls`; undefined: it has them from the first. */
  readonly growth: GrowthLimits | undefined;
  /** How many calls a client may cancel before its connection ends with ENHANCE_YOUR_CALM; undefined: any number. */
  readonly cancels: RateLimits | undefined;
  /** How long the peer may take to speak HTTP/2 after the connection stands, in milliseconds. */
  readonly prefaceTimeoutMs: number;
  /** How a client finds out that its peer is gone without a word. */
  readonly liveness: LivenessLimits;
}

/**
 * HTTP/2 over a connected and, where that is wanted, already secured socket, in both roles. Listening, TLS, dialling and
 * pooling are built on top of it and do not know which engine they have.
 */
export interface H2Engine {
  readonly name: string;
  /** Serves calls on an accepted socket. The engine owns the socket from here on. */
  accept(socket: Socket, limits: H2Limits, handlers: ServerHandlers): ServerConnection;
  /** Makes calls on a connected socket. The engine owns the socket from here on. */
  connect(socket: Socket, limits: H2Limits): ClientConnection;
}

export interface ServerHandlers {
  onCall(call: InboundCall): void;
  /** The connection broke, or the peer does not speak HTTP/2. The text is for a log. */
  onError(reason: string): void;
}

/** A client's connection. */
export interface ServerConnection {
  /** Calls that are not over yet. */
  readonly callCount: number;
  /** Lets the client have so many calls open from now on; calls back when it has acknowledged the SETTINGS. */
  allowCalls(count: number, onAcknowledged: () => void): void;
  /**
   * Says GOAWAY: the client is told which calls were taken, and makes others elsewhere. Calls under way go on; the
   * connection closes after the last.
   */
  drain(): void;
  /** Ends the connection and its calls at once, with a GOAWAY of this HTTP/2 error code; `onError` gets the reason. */
  end(code: number, reason: string): void;
  destroy(): void;
  /** Resolves when the socket is closed, however that came about. */
  readonly closed: Promise<void>;
}

/** A connection to a backend. */
export interface ClientConnection {
  /** Resolves when the backend has spoken HTTP/2; rejects with an Error when it closes instead or takes too long. */
  readonly ready: Promise<void>;
  /** False once a new call cannot be made: the connection is closing or closed, or the backend said GOAWAY. */
  readonly usable: boolean;
  readonly callCount: number;
  /** Makes a call; undefined when the connection turned out not to be usable, and nothing was sent. */
  openCall(headers: RawHeaders, receiver: OutboundReceiver): OutboundCall | undefined;
  /** Takes no new calls, closes after the last. */
  drain(): void;
  destroy(): void;
  readonly closed: Promise<void>;
}

/**
 * What daemons of the house grant each other. Whoever serves strangers grants less. The windows are upstream's.
 * Source: Talos v1.14: server-side gRPC settings of apid.
 */
export const gatewayLimits: H2Limits = {
  streamWindowBytes: 65_535 * 32,
  connectionWindowBytes: 65_535 * 16,
  maxHeaderListBytes: 16 * 1024 * 1024,
  maxConcurrentCalls: 2 ** 32 - 1,
  growth: undefined,
  cancels: undefined,
  prefaceTimeoutMs: 30_000,
  liveness: nodeLiveness,
};
