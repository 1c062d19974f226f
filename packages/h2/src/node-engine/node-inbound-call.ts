import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { ByteBudget } from '../byte-budget.ts';
import type { InboundCall, InboundReceiver } from '../call.ts';
import { h2ErrorCodes } from '../error-codes.ts';
import type { RawHeaders } from '../raw-headers.ts';
import { keptPart } from '../read-blocks.ts';
import { trailersObject } from './trailers-object.ts';
import { UnreadBytes } from './unread-bytes.ts';

// Node must not add `date`: the backend's header is forwarded, if it sent one.
const openAnswer = { waitForTrailers: true, sendDate: false };
const lastAnswer = { endStream: true, sendDate: false };

/** A call on a stream of node:http2. */
export class NodeInboundCall implements InboundCall {
  readonly headers: RawHeaders;
  readonly method: string;
  readonly path: string;
  readonly authority: string;
  readonly #stream: ServerHttp2Stream;
  /** Whether the client's END_STREAM has arrived. */
  #requestEnded: boolean;
  #unread: UnreadBytes | undefined;
  #isPaused = true;
  /** The client's END_STREAM that came while the call was paused. */
  #laterEnd: (() => void) | undefined;
  /** Whether the last frame of the response was sent. */
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
    // Every error of a stream also closes it, and `close` is handled below.
    stream.on('error', () => {});
    stream.on('wantTrailers', () => this.#sendTrailers());
  }

  /** Whether the response or a reset was sent. A later close is then not a cancel by the client. */
  get answered(): boolean {
    return this.#answered;
  }

  get isSent(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
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
      // When the connection fails, node:http2 sets an error code of its own, which the client did not send.
      const isLost = stream.session === undefined || stream.session.destroyed;
      receiver.cancelled(isLost || stream.rstCode === 0 ? h2ErrorCodes.cancel : stream.rstCode);
    };
    stream.on('data', (chunk: Buffer) => {
      this.#unread?.delivered(chunk.length);
      if (!this.#answered) receiver.requestData(chunk);
    });
    stream.on('end', () => {
      // node:http2 also emits `end` on a broken stream; `aborted` tells them apart.
      if (stream.aborted || this.#answered) return;
      this.#requestEnded = true;
      // A stream without data ends even when it is paused.
      const end = () => receiver.requestEnded();
      if (this.#isPaused) this.#laterEnd = end;
      else end();
    });
    stream.on('drain', () => receiver.answerDrained());
    stream.on('close', cancel);
    if (stream.destroyed) process.nextTick(cancel);
  }

  pause(): void {
    this.#isPaused = true;
    this.#stream.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#stream.resume();
    if (this.#laterEnd !== undefined) process.nextTick(() => this.#endNow());
  }

  #endNow(): void {
    if (this.#isPaused || this.#answered) return;
    this.#laterEnd?.();
    this.#laterEnd = undefined;
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

  writePart(bytes: Buffer, start: number, end: number): boolean {
    return this.write(keptPart(bytes, start, end));
  }

  finish(trailers: RawHeaders): ByteBudget | undefined {
    const stream = this.#stream;
    if (stream.destroyed || stream.closed || stream.writableEnded) return undefined;
    this.#answered = true;
    this.#trailers = trailersObject(trailers);
    stream.end();
    const full = this.#unread?.holdUnsent(stream.writableLength);
    if (full !== undefined) this.reset(h2ErrorCodes.enhanceYourCalm);
    return full;
  }

  reset(code: number): void {
    this.#answered = true;
    this.#stream.close(code);
    // node:http2 keeps a stream until its received data is read, so read and drop the rest.
    this.#stream.resume();
  }

  #sendTrailers(): void {
    const stream = this.#stream;
    if (stream.destroyed || stream.closed) return;
    this.#send(() => stream.sendTrailers(this.#trailers));
    this.#stopRequest();
  }

  /**
   * node:http2 throws on fields that it considers invalid. Fields of a backend must not affect other calls.
   */
  #send(headers: () => void): void {
    try {
      headers();
    } catch {
      this.#stream.close(h2ErrorCodes.internalError);
    }
  }

  /**
   * The response is complete, but the client may still be sending: RST_STREAM with NO_ERROR asks it to stop.
   * It must not overtake the last HEADERS, which node:http2 submits with setImmediate.
   */
  #stopRequest(): void {
    if (this.#requestEnded) return;
    setImmediate(() => {
      if (!this.#stream.destroyed) this.#stream.close(h2ErrorCodes.noError);
      // node:http2 keeps a stream until its received data is read, so read and drop the rest.
      this.#stream.resume();
    });
  }
}
