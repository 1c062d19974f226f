import { maxMessageSizeBytes } from '@nodewright/contract';
import { faultFrom } from '@nodewright/fault';
import {
  type ByteBudget,
  type CallFailure,
  type GrpcStatus,
  h2ErrorCodes,
  headerValue,
  isGrpcContentType,
  MessageCollector,
  type OutboundCall,
  type OutboundReceiver,
  OversizeMessage,
  type PumpFailure,
  type RawHeaders,
  statusFromHeaders,
} from '@nodewright/h2';
import type { Span } from '@nodewright/telemetry';
import { endSpan } from './call-record.ts';
import {
  describeCompressed,
  describeConnectFailure,
  describePumpFailure,
  describeUnread,
  type HopLabel,
} from './describe-failure.ts';
import { closingStatus } from './forwarding.ts';
import type { Gateway } from './gateway.ts';

/** The events that a target reports to its fan-out. */
export interface TargetEvents {
  /** The call is open: from here on it accepts the request. */
  opened(target: FanOutTarget): void;
  /** This many more bytes of the response are buffered. Returns `false` when there is no room for them: the target is over. */
  held(target: FanOutTarget, bytes: number): boolean;
  /** The bytes that wait until the target is resumed have no more room in their budget. */
  full(target: FanOutTarget, budget: ByteBudget): void;
  /** This many buffered bytes were forwarded to the client. */
  passed(bytes: number): void;
  /** One complete message of the response. */
  message(target: FanOutTarget, body: Buffer): void;
  /** The target accepts more of the request again. */
  drained(): void;
  /** The call is over. This event comes once, as the last one. */
  ended(target: FanOutTarget, status: GrpcStatus): void;
}

export interface TargetInit {
  readonly gateway: Gateway;
  /** The target as the client wrote it in `nodes`. */
  readonly name: string;
  readonly label: HopLabel;
  readonly span: Span | undefined;
  /** The lane of the caller: its calls to a backend use this connection. */
  readonly lane: number;
  /** The budget for bytes that wait until the target is resumed; `undefined` for no limit. */
  readonly unread: ByteBudget | undefined;
  readonly events: TargetEvents;
  /**
   * Builds the request headers. Called just before the call opens, so that they carry the time left by then.
   */
  headers(): RawHeaders;
}

/** The call to one target of a request with `nodes`. */
export class FanOutTarget implements OutboundReceiver {
  readonly name: string;
  /** Metadata of the response, for the joint answer. */
  headers: RawHeaders = [];
  trailers: RawHeaders = [];
  readonly #init: TargetInit;
  #messages = new MessageCollector(maxMessageSizeBytes);
  #outbound: OutboundCall | undefined;
  #over = false;
  #answering = false;
  #congested = false;
  /** Response bytes received since the last complete message. */
  #heldBytes = 0;

  constructor(init: TargetInit) {
    this.#init = init;
    this.name = init.name;
  }

  /** Whether the call is open and accepts the request. */
  get open(): boolean {
    return this.#outbound !== undefined && !this.#over;
  }

  /** Whether the call was ever opened. */
  get wasOpened(): boolean {
    return this.#outbound !== undefined;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Whether a message of the target has begun and is not complete. */
  get insideMessage(): boolean {
    return !this.#over && this.#messages.insideMessage;
  }

  /** Whether the fan-out must wait for this target before it sends more of the request. */
  get congested(): boolean {
    return this.#congested && this.open;
  }

  /** Connects and opens the call. A failure is reported by the event `ended`. */
  async connect(): Promise<void> {
    const { gateway, name, label, unread, events } = this.#init;
    const target = gateway.targetOf(name);
    try {
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const connection = await gateway.pool.acquire(target, this.#init.lane);
        if (this.#over) return;
        this.#outbound = connection.openCall(this.#init.headers(), this);
        if (this.#outbound === undefined) continue;
        if (unread !== undefined) this.#outbound.limitUnread(unread, (full) => events.full(this, full));
        events.opened(this);
        return;
      }
      this.#end(closingStatus(label));
    } catch (error) {
      this.#end(describeConnectFailure(label, faultFrom(error).message));
    }
  }

  write(chunk: Buffer): void {
    if (this.open && this.#outbound?.write(chunk) === false) this.#congested = true;
  }

  endRequest(): void {
    this.#outbound?.end();
  }

  pause(): void {
    this.#outbound?.pause();
  }

  resume(): void {
    this.#outbound?.resume();
  }

  /** Cancels the call; no event follows. */
  cancel(status: GrpcStatus): void {
    if (this.#over) return;
    this.#over = true;
    this.#outbound?.reset(h2ErrorCodes.cancel);
    this.#endSpan(status);
  }

  answerHeaders(headers: RawHeaders, last: boolean): void {
    const httpStatus = Number(headerValue(headers, ':status'));
    const contentType = headerValue(headers, 'content-type');
    const status = last ? statusFromHeaders(headers) : undefined;
    if (httpStatus !== 200 || (!isGrpcContentType(contentType) && status === undefined)) {
      this.#fail({ kind: 'not-grpc', httpStatus, contentType });
    } else if (!last) {
      this.#answering = true;
      this.headers = headers;
    } else if (status === undefined) {
      this.#fail({ kind: 'no-status' });
    } else {
      this.trailers = headers;
      this.#end(status);
    }
  }

  answerData(chunk: Buffer): void {
    if (!this.#init.events.held(this, chunk.length)) return;
    this.#heldBytes += chunk.length;
    try {
      for (const { body, compressed } of this.#messages.push(chunk)) {
        if (compressed) this.refuse(describeCompressed(this.#init.label));
        if (this.#over) return;
        this.#init.events.message(this, body);
      }
      if (this.#messages.insideMessage) return;
      this.#init.events.passed(this.#heldBytes);
      this.#heldBytes = 0;
    } catch (error) {
      if (!(error instanceof OversizeMessage)) throw error;
      const { sizeBytes, limitBytes } = error;
      this.#fail({ kind: 'too-large', side: 'answer', sizeBytes, limitBytes });
    }
  }

  answerEnded(trailers: RawHeaders): void {
    const status = statusFromHeaders(trailers);
    this.trailers = trailers;
    if (this.#messages.insideMessage && (status === undefined || status.code === 0)) {
      this.#fail({ kind: 'truncated', side: 'answer', shortfall: this.#messages.shortfall });
    } else if (status === undefined) {
      this.#fail({ kind: 'no-status' });
    } else {
      this.#end(status);
    }
  }

  requestDrained(): void {
    this.#congested = false;
    this.#init.events.drained();
  }

  failed(failure: CallFailure): void {
    this.#fail({ kind: 'call-failed', failure, answering: this.#answering });
  }

  /** Ends the call because its bytes have no more room. */
  refuseUnread(full: ByteBudget): void {
    this.refuse(describeUnread(this.#init.label, full));
  }

  /** Ends the call with a status of apid's own. */
  refuse(status: GrpcStatus): void {
    if (this.#over) return;
    this.#outbound?.reset(h2ErrorCodes.cancel);
    this.#end(status);
  }

  #fail(failure: PumpFailure): void {
    this.refuse(describePumpFailure(this.#init.label, failure));
  }

  #end(status: GrpcStatus): void {
    if (this.#over) return;
    this.#over = true;
    this.#endSpan(status);
    // A message that will never be complete: the call to the other targets may go on for weeks.
    this.#init.events.passed(this.#heldBytes);
    this.#heldBytes = 0;
    this.#messages = new MessageCollector(maxMessageSizeBytes);
    this.#init.events.ended(this, status);
  }

  #endSpan(status: GrpcStatus): void {
    if (this.#init.span !== undefined) endSpan(this.#init.span, status, status.code !== 0);
  }
}
