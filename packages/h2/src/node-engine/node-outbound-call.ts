import type { ClientHttp2Stream } from 'node:http2';
import type { ByteBudget } from '../byte-budget.ts';
import type { CallFailure, OutboundCall, OutboundReceiver } from '../call.ts';
import { h2ErrorCodes } from '../error-codes.ts';
import type { RawHeaders } from '../raw-headers.ts';
import { UnreadBytes } from './unread-bytes.ts';

const endStreamFlag = 1;

/** A call to a backend on a stream of node:http2. */
export class NodeOutboundCall implements OutboundCall {
  readonly #stream: ClientHttp2Stream;
  readonly #receiver: OutboundReceiver;
  /** What became of the connection, once it is lost. */
  readonly #connectionFailure: () => CallFailure | undefined;
  #unread: UnreadBytes | undefined;
  #over = false;
  #trailers: RawHeaders | undefined;
  #error: Error | undefined;

  constructor(
    stream: ClientHttp2Stream,
    receiver: OutboundReceiver,
    connectionFailure: () => CallFailure | undefined,
  ) {
    this.#stream = stream;
    this.#receiver = receiver;
    this.#connectionFailure = connectionFailure;
    stream.on('response', (_fields, flags, raw) => this.#answer(raw as unknown as string[], flags));
    // Comes when the frame does, ahead of data that still waits to be read: kept until that is delivered.
    stream.on('trailers', (_fields, _flags, raw?: unknown) => {
      this.#trailers = raw as string[];
    });
    stream.on('drain', () => {
      if (!this.#over) receiver.requestDrained();
    });
    stream.on('error', (error) => {
      this.#error = error;
    });
    stream.on('close', () => this.#close());
  }

  limitUnread(budget: ByteBudget, onFull: (full: ByteBudget) => void): void {
    this.#unread = new UnreadBytes(this.#stream, budget, onFull);
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  write(chunk: Uint8Array): boolean {
    const stream = this.#stream;
    if (this.#over || stream.destroyed || stream.closed || stream.writableEnded) return true;
    return stream.write(chunk);
  }

  end(): void {
    const stream = this.#stream;
    if (!stream.destroyed && !stream.closed && !stream.writableEnded) stream.end();
  }

  reset(code: number): void {
    this.#over = true;
    this.#stream.close(code);
    // A stream lives until what has arrived is read: let it go by.
    this.#stream.resume();
  }

  #answer(headers: RawHeaders, flags: number): void {
    if (this.#over) return;
    const stream = this.#stream;
    if ((flags & endStreamFlag) !== 0) {
      this.#finish();
      this.#receiver.answerHeaders(headers, true);
      return;
    }
    this.#receiver.answerHeaders(headers, false);
    if (this.#over) return;
    // Only now: data of the same packet would otherwise overtake the headers, which node:http2 emits a tick late.
    stream.on('data', (chunk: Buffer) => {
      this.#unread?.delivered(chunk.length);
      if (!this.#over) this.#receiver.answerData(chunk);
    });
    stream.on('end', () => this.#end());
  }

  #end(): void {
    if (this.#over) return;
    const whole = this.#trailers !== undefined;
    // A broken stream is told to end as well; then `close` says how it broke.
    if (!whole && (this.#stream.rstCode !== h2ErrorCodes.noError || this.#connectionFailure() !== undefined))
      return;
    this.#finish();
    this.#receiver.answerEnded(this.#trailers ?? []);
  }

  #close(): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#trailers !== undefined && this.#stream.readableLength === 0) {
      this.#receiver.answerEnded(this.#trailers);
      return;
    }
    this.#receiver.failed(this.#failure());
  }

  #failure(): CallFailure {
    const { rstCode } = this.#stream;
    const code = (this.#error as NodeJS.ErrnoException | undefined)?.code;
    const neverSent = code === 'ERR_HTTP2_GOAWAY_SESSION' || code === 'ERR_HTTP2_INVALID_SESSION';
    // GOAWAY closes the streams that the backend had not taken with this code too.
    if (neverSent || rstCode === h2ErrorCodes.refusedStream) return { kind: 'refused' };
    const lost = this.#connectionFailure();
    if (lost !== undefined) return lost;
    if (code !== undefined && code !== 'ERR_HTTP2_STREAM_ERROR') {
      return { kind: 'protocol', reason: this.#error?.message ?? code };
    }
    return { kind: 'reset', code: rstCode };
  }

  /** The answer is complete. A request that is still being sent has no reader any more. */
  #finish(): void {
    this.#over = true;
    const stream = this.#stream;
    if (!stream.writableEnded && !stream.destroyed) stream.close(h2ErrorCodes.noError);
  }
}
