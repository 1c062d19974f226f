import type { CallFailure, OutboundCall, OutboundReceiver } from '../call.ts';
import { h2ErrorCodes } from '../error-codes.ts';
import type { RawHeaders } from '../raw-headers.ts';
import { keptPart } from '../read-blocks.ts';
import { FrameStream, type StreamOwner } from './frame-stream.ts';

/** What a call needs of its connection besides the frames. */
export interface OutboundOwner extends StreamOwner {
  /** How long a backend that has answered may take to read the rest of the request, in milliseconds. */
  readonly requestRestMs: number;
  /** The call sends no more events. */
  callOver(call: FrameOutboundCall): void;
}

/** A call to a backend. Its number is 0 while it waits for the backend's limit on open calls. */
export class FrameOutboundCall extends FrameStream implements OutboundCall {
  /** The final headers of the response have arrived. */
  answering = false;
  readonly #owner: OutboundOwner;
  readonly #receiver: OutboundReceiver;
  #request: RawHeaders | undefined;
  #trailers: RawHeaders = [];
  #over = false;

  constructor(owner: OutboundOwner, headers: RawHeaders, receiver: OutboundReceiver) {
    super(owner, 0, 0);
    this.#owner = owner;
    this.#request = headers;
    this.#receiver = receiver;
    this.flowing = true;
    // Nothing is sent before the headers.
    this.queued = true;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Sends the headers, once the call has a number, and then what was written before. */
  start(sendWindow: number): void {
    this.queued = false;
    this.setSendWindow(sendWindow);
    this.sendHead(this.#request ?? [], false);
    this.#request = undefined;
    if (this.hasOutgoing) this.#owner.outbound.add(this);
  }

  end(): void {
    if (this.sending) this.endLocal(undefined);
  }

  reset(code: number): void {
    if (this.#over) return;
    this.#finish();
    if (!this.closed && !this.owner.ended) this.owner.resetStream(this, code);
  }

  /** The headers of the response. With `last` they are the whole response. */
  answer(headers: RawHeaders, last: boolean): void {
    this.answering = true;
    if (this.#over) return;
    if (last) {
      this.#finish();
      this.#receiver.answerHeaders(headers, true);
    } else this.#receiver.answerHeaders(headers, false);
  }

  keepTrailers(trailers: RawHeaders): void {
    this.#trailers = trailers;
  }

  /** The call has failed: the receiver gets no further event. */
  fail(failure: CallFailure): void {
    if (this.#over) return;
    this.#finish();
    this.#receiver.failed(failure);
  }

  protected override onData(bytes: Buffer, start: number, end: number): void {
    const receiver = this.#receiver;
    if (this.#over) return;
    if (receiver.answerPart !== undefined) receiver.answerPart(bytes, start, end);
    else receiver.answerData(keptPart(bytes, start, end));
  }

  protected override onEnd(): void {
    if (this.#over) return;
    this.#finish();
    this.#receiver.answerEnded(this.#trailers);
  }

  protected override onDrained(): void {
    if (!this.#over) this.#receiver.requestDrained();
  }

  /**
   * Closes the stream once the response is complete. A request that is complete too, but waits for a window,
   * is still sent if the backend takes it in time; of any other one the backend reads no more.
   */
  closeAfterAnswer(): void {
    if (this.closed) return;
    if (this.localEnded) this.owner.streamEnded(this);
    else if (!this.hasOutgoing || this.sending) this.owner.resetStream(this, h2ErrorCodes.noError);
    else
      setTimeout(() => this.owner.resetStream(this, h2ErrorCodes.noError), this.#owner.requestRestMs).unref();
  }

  #finish(): void {
    this.#over = true;
    this.dropUnread();
    this.#owner.callOver(this);
  }
}
