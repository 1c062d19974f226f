import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import { type CallStatus, codes } from './call-failure.ts';
import { FrameReader, frameMessage } from './message-frames.ts';

/** The meaning of a stream reset without a status. Source: gRPC over HTTP/2, errors. */
const codeOfReset: Readonly<Record<number, number>> = {
  [constants.NGHTTP2_CANCEL]: codes.cancelled,
  [constants.NGHTTP2_REFUSED_STREAM]: codes.unavailable,
  [constants.NGHTTP2_ENHANCE_YOUR_CALM]: codes.resourceExhausted,
  [constants.NGHTTP2_INADEQUATE_SECURITY]: codes.permissionDenied,
};

/** One call, as it is on HTTP/2: without retries and without interpretation. */
export class WireCall {
  readonly #stream: ClientHttp2Stream;
  readonly #status: Promise<CallStatus>;
  /** Headers of the response, once they have arrived. */
  headers: IncomingHttpHeaders = {};

  constructor(stream: ClientHttp2Stream) {
    this.#stream = stream;
    let said: CallStatus | undefined;
    const listen = (fields: IncomingHttpHeaders) => {
      const code = fields['grpc-status'];
      if (code === undefined) return;
      said = { code: Number(code), message: decodeMessage(String(fields['grpc-message'] ?? '')) };
    };
    stream.on('response', (headers) => {
      this.headers = headers;
      listen(headers);
    });
    stream.on('trailers', listen);
    let broken = '';
    stream.on('error', (error) => {
      broken = error.message;
    });
    this.#status = new Promise((resolve) => {
      stream.once('close', () => resolve(said ?? this.#withoutStatus(broken)));
    });
  }

  /** Sends raw bytes, without the gRPC frame of a message. */
  sendBytes(bytes: Uint8Array): void {
    if (!this.#stream.destroyed) this.#stream.write(bytes);
  }

  send(message: Uint8Array): void {
    this.sendBytes(frameMessage(message));
  }

  /** Half-closes the stream: no further message follows. */
  end(): void {
    if (!this.#stream.destroyed) this.#stream.end();
  }

  /** Resets the stream, as a client does that cancels. */
  cancel(): void {
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  /** Resolves when the call is over, for whatever reason. */
  status(): Promise<CallStatus> {
    return this.#status;
  }

  /** The messages of the response; ends with the call, for whatever reason. */
  async *messages(): AsyncGenerator<Buffer, void, undefined> {
    const frames = new FrameReader();
    const chunks = this.#stream[Symbol.asyncIterator]();
    try {
      for (;;) {
        // A reset rejects here; `status()` reports it.
        const next = await chunks.next().catch(() => undefined);
        if (next === undefined || next.done) break;
        yield* frames.add(next.value as Buffer);
      }
    } finally {
      await chunks.return?.();
    }
    if (frames.remainder > 0 && (await this.#status).code === codes.ok) {
      throw new Error(
        `the call ended OK in the middle of a message, ${frames.remainder} bytes of it had come`,
      );
    }
  }

  #withoutStatus(broken: string): CallStatus {
    const http = this.headers[':status'] as number | undefined;
    if (http !== undefined && http !== 200) return { code: codes.unknown, message: `HTTP status ${http}` };
    const reset = this.#stream.rstCode ?? 0;
    if (http === undefined && reset === 0) {
      return { code: codes.unavailable, message: broken || 'the connection broke' };
    }
    const message = broken || `the stream was reset with ${reset} and no status`;
    return { code: codeOfReset[reset] ?? codes.internal, message };
  }
}

/** `grpc-message` is percent-encoded; an invalid encoding is returned unchanged. */
function decodeMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
