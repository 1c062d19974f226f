import type { ByteBudget } from '../byte-budget.ts';
import type { InboundCall, InboundReceiver } from '../call.ts';
import { h2ErrorCodes } from '../error-codes.ts';
import type { RawHeaders } from '../raw-headers.ts';
import { keptPart } from '../read-blocks.ts';
import { FrameStream, type StreamOwner } from './frame-stream.ts';
import type { RequestHead } from './header-rules.ts';

/** A call from a client. */
export class FrameInboundCall extends FrameStream implements InboundCall {
  readonly headers: RawHeaders;
  readonly method: string;
  readonly path: string;
  readonly authority: string;
  /**
   * Whether the response or a reset was ordered. A later close is then not a cancel by the client.
   */
  answered = false;
  #receiver: InboundReceiver | undefined;
  #responded = false;
  #endDelivered = false;
  /** The client's error code, when it cancelled the call before `receive`. */
  #cancelCode: number | undefined;

  constructor(owner: StreamOwner, id: number, sendWindow: number, headers: RawHeaders, head: RequestHead) {
    super(owner, id, sendWindow);
    this.headers = headers;
    this.method = head.method;
    this.path = head.path;
    this.authority = head.authority;
    this.missingBytes = head.contentLength;
  }

  get isSent(): boolean {
    return this.localEnded || this.closed || this.owner.ended;
  }

  receive(receiver: InboundReceiver): void {
    this.#receiver = receiver;
    const code = this.#cancelCode;
    if (code !== undefined) setImmediate(() => receiver.cancelled(code));
    else if (this.flowing && this.hasUndelivered) this.owner.deliverLater(this);
  }

  respond(headers: RawHeaders, last = false): void {
    if (this.#responded || !this.sending) return;
    this.#responded = true;
    if (last) this.answered = true;
    this.sendHead(headers, last);
  }

  finish(trailers: RawHeaders): ByteBudget | undefined {
    if (!this.sending) return undefined;
    this.answered = true;
    this.endLocal(trailers);
    const full = this.countUnsent();
    if (full !== undefined) this.owner.resetStream(this, h2ErrorCodes.enhanceYourCalm);
    return full;
  }

  reset(code: number): void {
    this.answered = true;
    if (!this.closed && !this.owner.ended) this.owner.resetStream(this, code);
  }

  /** The client has cancelled the call, or its connection is lost. */
  cancel(code: number): void {
    if (this.answered || this.#cancelCode !== undefined) return;
    this.#cancelCode = code;
    this.#receiver?.cancelled(code);
  }

  protected override onData(bytes: Buffer, start: number, end: number): void {
    const receiver = this.#receiver;
    if (this.answered || receiver === undefined) return;
    if (receiver.requestPart !== undefined) receiver.requestPart(bytes, start, end);
    else receiver.requestData(keptPart(bytes, start, end));
  }

  protected override onEnd(): void {
    if (this.#endDelivered || this.answered || this.closed) return;
    this.#endDelivered = true;
    this.#receiver?.requestEnded();
  }

  protected override onDrained(): void {
    this.#receiver?.answerDrained();
  }

  /** The response is complete. A client that still sends is asked to stop. */
  protected override onLocalEnd(): void {
    if (this.remoteEnded) this.owner.streamEnded(this);
    else this.owner.resetStream(this, h2ErrorCodes.noError);
  }
}
