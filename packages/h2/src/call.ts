import type { ByteBudget } from './byte-budget.ts';
import type { RawHeaders } from './raw-headers.ts';

/**
 * A call from a client. It starts paused: nothing of its body is read until `resume`, and HTTP/2 flow control
 * stops the client meanwhile. Methods may be called in any state; after the call is over they do nothing.
 */
export interface InboundCall {
  /** The header block, pseudo-header fields included. */
  readonly headers: RawHeaders;
  /** `:method`, `:path` and `:authority`; empty when the client sent none. */
  readonly method: string;
  readonly path: string;
  readonly authority: string;
  /** Whether nothing of the answer is left to send: all of it was written to the connection, or the call was reset. */
  readonly isSent: boolean;
  /**
   * Counts body bytes that have arrived but were not delivered. Calls `onFull` once when `budget` has no more
   * room. Bytes that arrive afterwards are dropped, so the call must end. After `finish` it counts what is left to be
   * sent, too; when there is no room for that, the call is reset. Use it at most once per call, before `receive`.
   */
  limitUnread(budget: ByteBudget, onFull: (full: ByteBudget) => void): void;
  /** Sets the listener for request events. Call it once, as soon as the call is accepted. */
  receive(receiver: InboundReceiver): void;
  pause(): void;
  resume(): void;
  /**
   * Sends the response headers, including `:status`. With `last` they end the call (a trailers-only
   * response). Call it once.
   */
  respond(headers: RawHeaders, last?: boolean): void;
  /**
   * Sends body bytes; the call now owns the chunk. Returns `false` when the caller should wait for
   * `answerDrained`.
   */
  write(chunk: Uint8Array): boolean;
  /**
   * The same for the bytes from `start` to `end` of a chunk. They now belong to the call, and so do the nine bytes before
   * them, if there are so many: a frame head is written there.
   */
  writePart(bytes: Buffer, start: number, end: number): boolean;
  /**
   * Ends the call with trailers, after everything written. Request bytes that the client still sends are not
   * read. Returns the budget of `limitUnread` that has no room for what is left, when the call was reset for that.
   */
  finish(trailers: RawHeaders): ByteBudget | undefined;
  /** Ends the call at once with RST_STREAM, for clients that cannot use a status. */
  reset(code: number): void;
}

/** The events of an inbound call. They are never sent from inside a method of the call. */
export interface InboundReceiver {
  /** Body bytes in order. The receiver owns the chunk and may forward it unchanged. */
  requestData(chunk: Buffer): void;
  /**
   * If given, called instead of `requestData`: the bytes are a part of a chunk, which spares an object. If nine bytes or more are
   * before them, the last nine are free too, because they are the head with which the bytes arrived.
   */
  requestPart?(bytes: Buffer, start: number, end: number): void;
  /** The client has sent the whole request. */
  requestEnded(): void;
  /** There is room again after a `write` that returned false. */
  answerDrained(): void;
  /**
   * The client cancelled the call or disconnected before `finish` or a last `respond`. No event follows.
   * `code` is the client's HTTP/2 error code.
   */
  cancelled(code: number): void;
}

/** A call to a backend. After the call is over its methods do nothing. */
export interface OutboundCall {
  /** As for an inbound call, but for the bytes of the response. */
  limitUnread(budget: ByteBudget, onFull: (full: ByteBudget) => void): void;
  /** No body and no end are delivered until `resume`. Takes effect at once, also inside an event. */
  pause(): void;
  resume(): void;
  /**
   * Sends body bytes; the call now owns the chunk. Returns `false` when the caller should wait for
   * `requestDrained`.
   */
  write(chunk: Uint8Array): boolean;
  /** As for an inbound call. */
  writePart(bytes: Buffer, start: number, end: number): boolean;
  /** Ends the request (half-close). */
  end(): void;
  /** Cancels the call with RST_STREAM. The receiver gets no further events. */
  reset(code: number): void;
}

/**
 * The events of an outbound call, in this order: headers, data, then either `answerEnded` or `failed`. They
 * are never sent from inside `openCall` or a method of the call.
 */
export interface OutboundReceiver {
  /** With `last` the headers end the response (trailers-only), and `answerEnded` does not follow. */
  answerHeaders(headers: RawHeaders, last: boolean): void;
  answerData(chunk: Buffer): void;
  /** If given, called instead of `answerData`. As for the request of an inbound call. */
  answerPart?(bytes: Buffer, start: number, end: number): void;
  /** The response is complete; `trailers` is empty when the backend sent none. */
  answerEnded(trailers: RawHeaders): void;
  requestDrained(): void;
  failed(failure: CallFailure): void;
}

/** How a call to a backend failed. */
export type CallFailure =
  /** The backend ended the call with RST_STREAM. */
  | { readonly kind: 'reset'; readonly code: number }
  /**
   * The backend did not process the call and never will (REFUSED_STREAM, GOAWAY). The caller may repeat it.
   */
  | { readonly kind: 'refused' }
  /**
   * The connection closed during the call. `reason` is a phrase such as `read ECONNRESET`; empty for a normal
   * close.
   */
  | { readonly kind: 'connection-closed'; readonly reason: string }
  /** The connection is open, but the backend sends nothing, not even a PING acknowledgement. */
  | { readonly kind: 'silent' }
  /** The backend violated HTTP/2. */
  | { readonly kind: 'protocol'; readonly reason: string };
