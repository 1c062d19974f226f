import type { ClientHttp2Stream } from 'node:http2';
import type { ByteBudget } from '../byte-budget.ts';
import type { CallFailure, OutboundCall, OutboundReceiver } from '../call.ts';
import { h2ErrorCodes } from '../error-codes.ts';
import type { RawHeaders } from '../raw-headers.ts';
import { keptPart } from '../read-blocks.ts';
import { UnreadBytes } from './unread-bytes.ts';

const endStreamFlag = 1;

/** A call to a backend on a stream of node:http2. */
export class NodeOutboundCall implements OutboundCall {
  readonly #stream: ClientHttp2Stream;
  readonly #receiver: OutboundReceiver;
  /** The reason why the connection failed; `undefined` while it is open. */
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
    // `trailers` is emitted before data that still waits to be read, so keep them until that data is
    // delivered.
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

  writePart(bytes: Buffer, start: number, end: number): boolean {
    return this.write(keptPart(bytes, start, end));
  }

  end(): void {
    const stream = this.#stream;
    if (!stream.destroyed && !stream.closed && !stream.writableEnded) stream.end();
  }

  reset(code: number): void {
    this.#over = true;
    this.#stream.close(code);
    // node:http2 keeps a stream until its received data is read, so read and drop the rest.
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
    // Listen for data only now: node:http2 emits the headers one tick late, and data of the same packet would
    // overtake them.
    stream.on('data', (chunk: Buffer) => {
      this.#unread?.delivered(chunk.length);
      if (!this.#over) this.#receiver.answerData(chunk);
    });
    stream.on('end', () => this.#end());
  }

  #end(): void {
    if (this.#over) return;
    const whole = this.#trailers !== undefined;
    // node:http2 also emits `end` on a broken stream; then `close` reports the failure.
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
    // After a GOAWAY, streams that the backend did not accept close with this code too.
    if (neverSent || rstCode === h2ErrorCodes.refusedStream) return { kind: 'refused' };
    const lost = this.#connectionFailure();
    if (lost !== undefined) return lost;
    if (code !== undefined && code !== 'ERR_HTTP2_STREAM_ERROR') {
      return { kind: 'protocol', reason: this.#error?.message ?? code };
    }
    return { kind: 'reset', code: rstCode };
  }

  /** The response is complete, so the backend reads no more of the request. */
  #finish(): void {
    this.#over = true;
    const stream = this.#stream;
    if (!stream.writableEnded && !stream.destroyed) stream.close(h2ErrorCodes.noError);
  }
}
