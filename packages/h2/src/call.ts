import type { ByteBudget } from './byte-budget.ts';
import type { RawHeaders } from './raw-headers.ts';

/**
 * A call that a client made here. It starts paused: nothing of its body is read until `resume`, and HTTP/2's flow
 * control then holds the client back. Methods may be called in any state; after the call is over they do nothing.
 */
export interface InboundCall {
  /** Pseudo fields included. */
  readonly headers: RawHeaders;
  /** `:method`, `:path` and `:authority`; empty when the client sent none. */
  readonly method: string;
  readonly path: string;
  readonly authority: string;
  /**
   * Counts body bytes that have arrived and were not delivered yet. Calls `onFull` once, when `budget` has no room for
   * more: what arrives after that is dropped, so the call must end. At most once a call, before `receive`.
   */
  limitUnread(budget: ByteBudget, onFull: (full: ByteBudget) => void): void;
  /** Sets the listener for events of the request. To be called once, as soon as the call is accepted. */
  receive(receiver: InboundReceiver): void;
  pause(): void;
  resume(): void;
  /** Sends response headers, `:status` among them. `last`: they end the call (a "trailers-only" answer). Once. */
  respond(headers: RawHeaders, last?: boolean): void;
  /** Sends body bytes; the chunk now belongs to the call. False: hold on until `answerDrained`. */
  write(chunk: Uint8Array): boolean;
  /** Ends the call with trailers after everything written. What the client still sends is not read. */
  finish(trailers: RawHeaders): void;
  /** Ends the call at once with RST_STREAM. For clients that are beyond a status. */
  reset(code: number): void;
}

/** What an inbound call tells. Never from inside a method of the call. */
export interface InboundReceiver {
  /** Body bytes in order; the chunk belongs to the receiver and may be written on as it is. */
  requestData(chunk: Buffer): void;
  /** The client has sent everything. */
  requestEnded(): void;
  /** There is room again after a `write` that returned false. */
  answerDrained(): void;
  /**
   * The client took the call back or went away before `finish` or a last `respond`. Nothing else follows. `code` is
   * the HTTP/2 error code it gave.
   */
  cancelled(code: number): void;
}

/** A call made to a backend. After it is over methods do nothing. */
export interface OutboundCall {
  /** As for an inbound call, for the bytes of the answer. */
  limitUnread(budget: ByteBudget, onFull: (full: ByteBudget) => void): void;
  pause(): void;
  resume(): void;
  /** Sends body bytes; the chunk now belongs to the call. False: hold on until `requestDrained`. */
  write(chunk: Uint8Array): boolean;
  /** Nothing more will be sent (half-close). */
  end(): void;
  /** Cancels the call with RST_STREAM. The receiver gets no more events of it. */
  reset(code: number): void;
}

/**
 * What an outbound call tells, in this order: headers, data, then exactly one of ended or failed. Never from inside
 * `openCall` or a method of the call.
 */
export interface OutboundReceiver {
  /** `last`: the answer ends here (trailers-only), and `answerEnded` does not follow. */
  answerHeaders(headers: RawHeaders, last: boolean): void;
  answerData(chunk: Buffer): void;
  /** The answer is complete; empty trailers when the backend sent none. */
  answerEnded(trailers: RawHeaders): void;
  requestDrained(): void;
  failed(failure: CallFailure): void;
}

/** How a call to a backend broke. */
export type CallFailure =
  /** The backend ended the call with RST_STREAM. */
  | { readonly kind: 'reset'; readonly code: number }
  /** The backend has not looked at the call and will not (REFUSED_STREAM, GOAWAY): it may be made again. */
  | { readonly kind: 'refused' }
  /** The connection ended under the call. `reason` is a phrase such as `read ECONNRESET`; empty for a plain close. */
  | { readonly kind: 'connection-closed'; readonly reason: string }
  /** The connection stands, but nothing comes any more, not even an answer to a ping. */
  | { readonly kind: 'silent' }
  /** The bytes of the backend were not HTTP/2 as it should be. */
  | { readonly kind: 'protocol'; readonly reason: string };
