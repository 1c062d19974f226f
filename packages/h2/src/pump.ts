import { grpcCodeFromKind } from '@nodewright/fault';
import type { ByteBudget } from './byte-budget.ts';
import type { CallFailure, InboundCall, InboundReceiver, OutboundCall, OutboundReceiver } from './call.ts';
import type { ClientConnection } from './engine.ts';
import { h2ErrorCodes } from './error-codes.ts';
import { type GrpcStatus, isGrpcContentType, statusFromHeaders } from './grpc-status.ts';
import { answerFields, trailerFields } from './hop-fields.ts';
import { MessageScanner } from './message-scanner.ts';
import { headerValue, type RawHeaders } from './raw-headers.ts';
import { sendStatus } from './send-status.ts';

/** Why a pump had to end a call by itself. */
export type PumpFailure =
  /** The backend's call broke, before (`answering` false) or after its response headers. */
  | { readonly kind: 'call-failed'; readonly failure: CallFailure; readonly answering: boolean }
  /** Whoever answered does not speak gRPC. */
  | { readonly kind: 'not-grpc'; readonly httpStatus: number; readonly contentType: string | undefined }
  /** The answer ended without `grpc-status`. */
  | { readonly kind: 'no-status' }
  | {
      readonly kind: 'too-large';
      readonly side: PumpSide;
      readonly sizeBytes: number;
      readonly limitBytes: number;
    }
  /** The bytes ended inside a message; `shortfall` says how far they got. */
  | { readonly kind: 'truncated'; readonly side: PumpSide; readonly shortfall: string };

export type PumpSide = 'request' | 'answer';

export interface PumpOutcome extends GrpcStatus {
  /** The client took the call back; the code is CANCELLED. */
  readonly cancelled: boolean;
}

export interface PumpInit {
  readonly inbound: InboundCall;
  readonly maxMessageBytes: number;
  /** Default: `maxMessageBytes`. */
  readonly maxRequestMessageBytes?: number;
  /** Where the bytes count that wait here for the backend or for the client; undefined: nowhere. */
  readonly unread?: ByteBudget | undefined;
  /** The status of a call for whose bytes there is no room. */
  describeFull?(full: ByteBudget): GrpcStatus;
  /** The status that the client gets for a failure. Its text names the hop. */
  describe(failure: PumpFailure): GrpcStatus;
  /** Runs `reset`, which takes a call that the client cancelled back from the backend, now or later. Default: now. */
  takeBack?(reset: () => void): void;
  /** The answer has begun, and more of it is to come. */
  onAnswering?(): void;
  /** Called once, when the call is over as far as the pump can tell. */
  onDone(outcome: PumpOutcome): void;
}

/**
 * Passes one call on to one backend. Bytes go through as they come: nothing is decoded, messages are only counted.
 * A side that cannot keep up pauses the other; a client that goes away takes the backend's call back; a backend that
 * breaks in any state leaves the client with a gRPC status.
 */
export class Pump implements InboundReceiver, OutboundReceiver {
  readonly #init: PumpInit;
  readonly #requestLimit: number;
  readonly #request: MessageScanner;
  readonly #answer: MessageScanner;
  #outbound: OutboundCall | undefined;
  /** Response headers were passed on. */
  #answering = false;
  #over = false;

  /** The call is listened to from here on, so that a cancel is seen even while the backend is being dialled. */
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

  /** Makes the call on `connection` with `headers`. False: the connection is not usable, nothing has happened. */
  start(connection: ClientConnection, headers: RawHeaders): boolean {
    if (this.#over) return true;
    this.#outbound = connection.openCall(headers, this);
    if (this.#outbound === undefined) return false;
    if (this.#init.unread !== undefined) this.#outbound.limitUnread(this.#init.unread, this.#full);
    this.#init.inbound.resume();
    return true;
  }

  /** Ends the call with a status of our own and takes it back from the backend. */
  fail(status: GrpcStatus): void {
    if (this.#over) return;
    this.#outbound?.reset(h2ErrorCodes.cancel);
    sendStatus(this.#init.inbound, status, this.#answering);
    this.#finish(status, false);
  }

  requestData(chunk: Buffer): void {
    if (this.#over || this.#outbound === undefined) return;
    if (this.#request.push(chunk) !== chunk.length) {
      this.#fail(this.#tooLarge('request', this.#request));
      return;
    }
    if (!this.#outbound.write(chunk)) this.#init.inbound.pause();
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
      if (this.#init.takeBack === undefined) reset();
      else this.#init.takeBack(reset);
    }
    this.#finish({ code: grpcCodeFromKind('cancelled'), message: 'the client cancelled the call' }, true);
  }

  answerHeaders(headers: RawHeaders, last: boolean): void {
    if (this.#over) return;
    const httpStatus = Number(headerValue(headers, ':status'));
    const contentType = headerValue(headers, 'content-type');
    const status = last ? statusFromHeaders(headers) : undefined;
    // Some servers leave the content type out of an answer that is nothing but a status.
    if (httpStatus !== 200 || (!isGrpcContentType(contentType) && status === undefined)) {
      this.#fail({ kind: 'not-grpc', httpStatus, contentType });
      return;
    }
    if (!last) {
      this.#answering = true;
      this.#init.inbound.respond(answerFields(headers));
      this.#init.onAnswering?.();
      return;
    }
    if (status === undefined) {
      this.#fail({ kind: 'no-status' });
      return;
    }
    this.#init.inbound.respond(answerFields(headers), true);
    this.#finish(status, false);
  }

  answerData(chunk: Buffer): void {
    if (this.#over) return;
    const passable = this.#answer.push(chunk);
    const whole = passable === chunk.length;
    const room = this.#init.inbound.write(whole ? chunk : chunk.subarray(0, passable));
    if (!whole) this.#fail(this.#tooLarge('answer', this.#answer));
    else if (!room) this.#outbound?.pause();
  }

  answerDrained(): void {
    if (!this.#over) this.#outbound?.resume();
  }

  answerEnded(trailers: RawHeaders): void {
    if (this.#over) return;
    const status = statusFromHeaders(trailers);
    if (this.#answer.insideMessage && (status === undefined || status.code === 0)) {
      this.#fail({ kind: 'truncated', side: 'answer', shortfall: this.#answer.shortfall });
      return;
    }
    if (status === undefined) {
      this.#fail({ kind: 'no-status' });
      return;
    }
    this.#init.inbound.finish(trailerFields(trailers));
    this.#finish(status, false);
  }

  failed(failure: CallFailure): void {
    this.#fail({ kind: 'call-failed', failure, answering: this.#answering });
  }

  readonly #full = (full: ByteBudget) => {
    const status = this.#init.describeFull?.(full);
    this.fail(status ?? { code: grpcCodeFromKind('resource-exhausted'), message: 'no room for the call' });
  };

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
