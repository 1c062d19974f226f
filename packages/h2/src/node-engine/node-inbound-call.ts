import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { ByteBudget } from '../byte-budget.ts';
import type { InboundCall, InboundReceiver } from '../call.ts';
import { h2ErrorCodes } from '../error-codes.ts';
import type { RawHeaders } from '../raw-headers.ts';
import { trailersObject } from './trailers-object.ts';
import { UnreadBytes } from './unread-bytes.ts';

// `date` is the backend's to send, or nobody's.
const openAnswer = { waitForTrailers: true, sendDate: false };
const lastAnswer = { endStream: true, sendDate: false };

/** A call on a stream of node:http2. */
export class NodeInboundCall implements InboundCall {
  readonly headers: RawHeaders;
  readonly method: string;
  readonly path: string;
  readonly authority: string;
  readonly #stream: ServerHttp2Stream;
  /** The client's END_STREAM was delivered, or came with the headers. */
  #requestEnded: boolean;
  #unread: UnreadBytes | undefined;
  /** Our last frame is on its way. */
  #answered = false;
  #trailers: Record<string, string | string[]> = {};

  constructor(stream: ServerHttp2Stream, fields: IncomingHttpHeaders, headers: RawHeaders, ended: boolean) {
    this.#stream = stream;
    this.headers = headers;
    this.method = fields[':method'] ?? '';
    this.path = fields[':path'] ?? '';
    this.authority = fields[':authority'] ?? '';
    this.#requestEnded = ended;
    stream.pause();
    // Whatever breaks a stream also closes it, and that is what counts.
    stream.on('error', () => {});
    stream.on('wantTrailers', () => this.#sendTrailers());
  }

  /** Whether the call has its answer, or our reset: what closes it now is no cancel. */
  get answered(): boolean {
    return this.#answered;
  }

  limitUnread(budget: ByteBudget, onFull: (full: ByteBudget) => void): void {
    this.#unread = new UnreadBytes(this.#stream, budget, onFull);
  }

  receive(receiver: InboundReceiver): void {
    const stream = this.#stream;
    let cancelled = false;
    const cancel = () => {
      if (this.#answered || cancelled) return;
      cancelled = true;
      // A connection that breaks under a call gives it a code of the library's.
      const isLost = stream.session === undefined || stream.session.destroyed;
      receiver.cancelled(isLost || stream.rstCode === 0 ? h2ErrorCodes.cancel : stream.rstCode);
    };
    stream.on('data', (chunk: Buffer) => {
      this.#unread?.delivered(chunk.length);
      if (!this.#answered) receiver.requestData(chunk);
    });
    stream.on('end', () => {
      // A broken stream is also told to end: `aborted` tells the two apart.
      if (stream.aborted || this.#answered) return;
      this.#requestEnded = true;
      receiver.requestEnded();
    });
    stream.on('drain', () => receiver.answerDrained());
    stream.on('close', cancel);
    if (stream.destroyed) process.nextTick(cancel);
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  respond(headers: RawHeaders, last = false): void {
    const stream = this.#stream;
    if (stream.destroyed || stream.closed || stream.headersSent) return;
    if (last) this.#answered = true;
    this.#send(() => stream.respond(headers, last ? lastAnswer : openAnswer));
    if (last) this.#stopRequest();
  }

  write(chunk: Uint8Array): boolean {
    const stream = this.#stream;
    if (stream.destroyed || stream.closed || stream.writableEnded) return true;
    return stream.write(chunk);
  }

  finish(trailers: RawHeaders): void {
    const stream = this.#stream;
    if (stream.destroyed || stream.closed || stream.writableEnded) return;
    this.#answered = true;
    this.#trailers = trailersObject(trailers);
    stream.end();
  }

  reset(code: number): void {
    this.#answered = true;
    this.#stream.close(code);
    // A stream lives until what has arrived is read: let it go by.
    this.#stream.resume();
  }

  #sendTrailers(): void {
    const stream = this.#stream;
    if (stream.destroyed || stream.closed) return;
    this.#send(() => stream.sendTrailers(this.#trailers));
    this.#stopRequest();
  }

  /** node:http2 throws at fields that it does not like, and a backend's fields must not end more than their call. */
  #send(headers: () => void): void {
    try {
      headers();
    } catch {
      this.#stream.close(h2ErrorCodes.internalError);
    }
  }

  /**
   * The answer is complete though the client may still be sending: RST_STREAM with NO_ERROR asks it to stop. It must
   * not overtake the last HEADERS, which node:http2 submits with setImmediate.
   */
  #stopRequest(): void {
    if (this.#requestEnded) return;
    setImmediate(() => {
      if (!this.#stream.destroyed) this.#stream.close(h2ErrorCodes.noError);
      // A stream lives until what has arrived is read: let it go by.
      this.#stream.resume();
    });
  }
}
