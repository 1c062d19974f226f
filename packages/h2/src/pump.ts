import { grpcCodeFromKind } from '@nodewright/fault';
import { answerFacts, trailerFacts } from './answer-facts.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { CallFailure, InboundCall, InboundReceiver, OutboundCall, OutboundReceiver } from './call.ts';
import type { ClientConnection } from './engine.ts';
import { h2ErrorCodes } from './error-codes.ts';
import type { GrpcStatus } from './grpc-status.ts';
import { MessageScanner } from './message-scanner.ts';
import type { RawHeaders } from './raw-headers.ts';
import { sendStatus } from './send-status.ts';

/** Why a pump ended a call. */
export type PumpFailure =
  /** The call to the backend failed before (`answering` false) or after its response headers. */
  | { readonly kind: 'call-failed'; readonly failure: CallFailure; readonly answering: boolean }
  /** The backend's response is not gRPC. */
  | { readonly kind: 'not-grpc'; readonly httpStatus: number; readonly contentType: string | undefined }
  /** The response ended without `grpc-status`. */
  | { readonly kind: 'no-status' }
  | {
      readonly kind: 'too-large';
      readonly side: PumpSide;
      readonly sizeBytes: number;
      readonly limitBytes: number;
    }
  /** The bytes ended inside a message; `shortfall` says how much of it arrived. */
  | { readonly kind: 'truncated'; readonly side: PumpSide; readonly shortfall: string };

export type PumpSide = 'request' | 'answer';

export interface PumpOutcome extends GrpcStatus {
  /** Whether the client cancelled the call; the code is then CANCELLED. */
  readonly cancelled: boolean;
}

export interface PumpInit {
  readonly inbound: InboundCall;
  readonly maxMessageBytes: number;
  /** Default: `maxMessageBytes`. */
  readonly maxRequestMessageBytes?: number;
  /**
   * The budget for bytes that wait for the backend or for the client to read them; `undefined` for no limit.
   */
  readonly unread?: ByteBudget | undefined;
  /** The status of a call whose bytes exceed the budget. */
  describeFull?(full: ByteBudget): GrpcStatus;
  /** The status that the client gets for a failure. Its text names the hop. */
  describe(failure: PumpFailure): GrpcStatus;
  /**
   * Runs `reset` now or later. After a cancel by the client, `reset` cancels the call to the backend.
   * Default: now.
   */
  scheduleReset?(reset: () => void): void;
  /** The next bytes of the request, from `start` to `end`, before they are forwarded. They are valid during the call only. */
  onRequest?(bytes: Uint8Array, start: number, end: number): void;
  /** The response has begun, and more of it follows. */
  onAnswering?(): void;
  /** Called once, when the call is over. */
  onDone(outcome: PumpOutcome): void;
}

/**
 * Forwards one call to one backend. Bytes are forwarded as they arrive; nothing is decoded, only message
 * sizes are checked. A side that reads slowly pauses the other. When the client disconnects, the call to the
 * backend is cancelled. When the backend fails in any state, the client gets a gRPC status.
 */
export class Pump implements InboundReceiver, OutboundReceiver {
  readonly #init: PumpInit;
  readonly #requestLimit: number;
  readonly #request: MessageScanner;
  readonly #answer: MessageScanner;
  #outbound: OutboundCall | undefined;
  /** Whether the response headers were forwarded. */
  #answering = false;
  #over = false;
  #waitsForClient = false;

  /**
   * Listens to the call from here on, so that a cancel is noticed even while the backend is being dialled.
   */
  constructor(init: PumpInit) {
    this.#init = init;
    this.#requestLimit = init.maxRequestMessageBytes ?? init.maxMessageBytes;
    this.#request = new MessageScanner(this.#requestLimit);
    this.#answer = new MessageScanner(init.maxMessageBytes);
    if (init.unread !== undefined) init.inbound.limitUnread(init.unread, this.#full);
    init.inbound.receive(this);
  }

  get over(): boolean {
    return this.#over;
  }

  /** Messages of the answer that have begun. */
  get messages(): number {
    return this.#answer.messages;
  }

  /** Whether a message of the answer has begun and is not complete. */
  get insideMessage(): boolean {
    return this.#answer.insideMessage;
  }

  /** Whether the client must read before more of the answer is taken from the backend. */
  get waitsForClient(): boolean {
    return this.#waitsForClient;
  }

  /**
   * Makes the call on `connection` with `headers`. Returns `false` when the connection is not usable; then
   * nothing was sent.
   */
  start(connection: ClientConnection, headers: RawHeaders): boolean {
    if (this.#over) return true;
    this.#outbound = connection.openCall(headers, this);
    if (this.#outbound === undefined) return false;
    if (this.#init.unread !== undefined) this.#outbound.limitUnread(this.#init.unread, this.#full);
    this.#init.inbound.resume();
    return true;
  }

  /** Ends the call with this status and cancels it at the backend. */
  fail(status: GrpcStatus): void {
    if (this.#over) return;
    this.#outbound?.reset(h2ErrorCodes.cancel);
    sendStatus(this.#init.inbound, status, this.#answering);
    this.#finish(status, false);
  }

  requestData(chunk: Buffer): void {
    this.requestPart(chunk, 0, chunk.length);
  }

  requestPart(bytes: Buffer, start: number, end: number): void {
    if (this.#over || this.#outbound === undefined) return;
    if (this.#request.pushPart(bytes, start, end) !== end - start) {
      this.#fail(this.#tooLarge('request', this.#request));
      return;
    }
    this.#init.onRequest?.(bytes, start, end);
    if (!this.#outbound.writePart(bytes, start, end)) this.#init.inbound.pause();
  }

  requestDrained(): void {
    if (!this.#over) this.#init.inbound.resume();
  }

  requestEnded(): void {
    if (this.#over) return;
    if (this.#request.insideMessage) {
      this.#fail({ kind: 'truncated', side: 'request', shortfall: this.#request.shortfall });
      return;
    }
    this.#outbound?.end();
  }

  cancelled(): void {
    if (this.#over) return;
    const outbound = this.#outbound;
    if (outbound !== undefined) {
      const reset = () => outbound.reset(h2ErrorCodes.cancel);
      if (this.#init.scheduleReset === undefined) reset();
      else this.#init.scheduleReset(reset);
    }
    this.#finish({ code: grpcCodeFromKind('cancelled'), message: 'the client cancelled the call' }, true);
  }

  answerHeaders(headers: RawHeaders, last: boolean): void {
    if (this.#over) return;
    const { httpStatus, contentType, isGrpc, status: wholeStatus, forwarded } = answerFacts(headers);
    const status = last ? wholeStatus : undefined;
    // Some servers omit the content type in a trailers-only response.
    if (httpStatus !== 200 || (!isGrpc && status === undefined)) {
      this.#fail({ kind: 'not-grpc', httpStatus, contentType });
      return;
    }
    if (!last) {
      this.#answering = true;
      this.#init.inbound.respond(forwarded);
      this.#init.onAnswering?.();
      return;
    }
    if (status === undefined) {
      this.#fail({ kind: 'no-status' });
      return;
    }
    this.#init.inbound.respond(forwarded, true);
    this.#finish(status, false);
  }

  answerData(chunk: Buffer): void {
    this.answerPart(chunk, 0, chunk.length);
  }

  answerPart(bytes: Buffer, start: number, end: number): void {
    if (this.#over) return;
    const passable = this.#answer.pushPart(bytes, start, end);
    const whole = passable === end - start;
    const room = this.#init.inbound.writePart(bytes, start, start + passable);
    if (!whole) this.#fail(this.#tooLarge('answer', this.#answer));
    else if (!room) {
      this.#waitsForClient = true;
      this.#outbound?.pause();
    }
  }

  answerDrained(): void {
    this.#waitsForClient = false;
    if (!this.#over) this.#outbound?.resume();
  }

  answerEnded(trailers: RawHeaders): void {
    if (this.#over) return;
    const { status, forwarded } = trailerFacts(trailers);
    if (this.#answer.insideMessage && (status === undefined || status.code === 0)) {
      this.#fail({ kind: 'truncated', side: 'answer', shortfall: this.#answer.shortfall });
      return;
    }
    if (status === undefined) {
      this.#fail({ kind: 'no-status' });
      return;
    }
    const full = this.#init.inbound.finish(forwarded);
    this.#finish(full === undefined ? status : this.#statusOfFull(full), false);
  }

  failed(failure: CallFailure): void {
    this.#fail({ kind: 'call-failed', failure, answering: this.#answering });
  }

  readonly #full = (full: ByteBudget) => {
    this.fail(this.#statusOfFull(full));
  };

  #statusOfFull(full: ByteBudget): GrpcStatus {
    const status = this.#init.describeFull?.(full);
    return status ?? { code: grpcCodeFromKind('resource-exhausted'), message: 'no room for the call' };
  }

  #tooLarge(side: PumpSide, scanner: MessageScanner): PumpFailure {
    return {
      kind: 'too-large',
      side,
      sizeBytes: scanner.declaredBytes,
      limitBytes: side === 'request' ? this.#requestLimit : this.#init.maxMessageBytes,
    };
  }

  #fail(failure: PumpFailure): void {
    if (!this.#over) this.fail(this.#init.describe(failure));
  }

  #finish(status: GrpcStatus, cancelled: boolean): void {
    this.#over = true;
    this.#init.onDone({ code: status.code, message: status.message, cancelled });
  }
}
