import { Fault, kindFromGrpcCode } from '@nodewright/fault';
import type { CallFailure, OutboundCall, OutboundReceiver } from './call.ts';
import type { ClientConnection } from './engine.ts';
import { h2ErrorCodes, h2ErrorName } from './error-codes.ts';
import {
  type GrpcStatus,
  grpcCodeFromH2Error,
  grpcCodeFromHttpStatus,
  isGrpcContentType,
  statusFromHeaders,
} from './grpc-status.ts';
import { MessageCollector, messagePrefix, OversizeMessage } from './message-collector.ts';
import { headerValue, type RawHeaders } from './raw-headers.ts';

export interface StreamedCall {
  /** `/cosi.resource.State/Watch`. */
  readonly path: string;
  readonly authority: string;
  /** The only message of the request. */
  readonly request: Uint8Array;
  readonly maxMessageBytes: number;
  readonly signal: AbortSignal;
}

/** When this many messages wait for their reader, the backend is paused. */
const highWater = 16;

/**
 * Makes a call with one message and yields the messages of the response until the call is over. Leaving the
 * loop, or aborting the signal, cancels the call.
 *
 * @throws Fault with the status of the call, or `unavailable` when the connection is not usable
 */
export async function* streamAnswers(
  connection: ClientConnection,
  call: StreamedCall,
): AsyncGenerator<Buffer, void> {
  const { signal } = call;
  if (signal.aborted) return;
  const answers = new Answers(call.maxMessageBytes);
  const outbound = connection.openCall(headersOf(call), answers);
  if (outbound === undefined) throw new Fault('unavailable', 'the connection was closed');
  answers.outbound = outbound;
  outbound.write(Buffer.concat([messagePrefix(call.request.length), call.request]));
  outbound.end();
  const abort = () => answers.cancel();
  signal.addEventListener('abort', abort);
  try {
    for (;;) {
      const message = await answers.next();
      if (message === undefined) return;
      yield message;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    answers.cancel();
  }
}

function headersOf({ path, authority }: StreamedCall): RawHeaders {
  return [
    ...[':method', 'POST', ':scheme', 'http', ':path', path, ':authority', authority],
    ...['content-type', 'application/grpc', 'te', 'trailers'],
  ];
}

class Answers implements OutboundReceiver {
  readonly #collector: MessageCollector;
  readonly #waiting: Buffer[] = [];
  #end: { readonly fault: Fault | undefined } | undefined;
  #isPaused = false;
  #changed = Promise.withResolvers<void>();
  outbound: OutboundCall | undefined;

  constructor(maxMessageBytes: number) {
    this.#collector = new MessageCollector(maxMessageBytes);
  }

  /** Resolves with the next message; `undefined` when the call succeeded or was cancelled. */
  async next(): Promise<Buffer | undefined> {
    for (;;) {
      const message = this.#waiting.shift();
      if (message !== undefined) {
        if (this.#isPaused && this.#waiting.length === 0) {
          this.#isPaused = false;
          this.outbound?.resume();
        }
        return message;
      }
      if (this.#end !== undefined) {
        if (this.#end.fault !== undefined) throw this.#end.fault;
        return undefined;
      }
      await this.#changed.promise;
      this.#changed = Promise.withResolvers();
    }
  }

  cancel(): void {
    if (this.#end === undefined) this.outbound?.reset(h2ErrorCodes.cancel);
    this.#waiting.length = 0;
    this.#finish(undefined);
  }

  answerHeaders(headers: RawHeaders, last: boolean): void {
    const status = Number(headerValue(headers, ':status'));
    if (last) this.#finishWith(statusFromHeaders(headers));
    if (last || (status === 200 && isGrpcContentType(headerValue(headers, 'content-type')))) return;
    this.#fail(
      new Fault(kindFromGrpcCode(grpcCodeFromHttpStatus(status)), `the response has HTTP status ${status}`),
    );
  }

  answerData(chunk: Buffer): void {
    if (this.#end !== undefined) return;
    try {
      for (const { body, compressed } of this.#collector.push(chunk)) {
        if (compressed) throw new Error('a message of the response is compressed');
        this.#waiting.push(body);
      }
    } catch (error) {
      const kind = error instanceof OversizeMessage ? 'resource-exhausted' : 'internal';
      this.#fail(new Fault(kind, (error as Error).message));
      return;
    }
    if (this.#waiting.length >= highWater && !this.#isPaused) {
      this.#isPaused = true;
      this.outbound?.pause();
    }
    this.#changed.resolve();
  }

  answerEnded(trailers: RawHeaders): void {
    const status = statusFromHeaders(trailers);
    if (this.#collector.insideMessage && (status === undefined || status.code === 0)) {
      const reason = `the response ended inside a message: ${this.#collector.shortfall}`;
      this.#finish(new Fault('internal', reason));
    } else this.#finishWith(status);
  }

  requestDrained(): void {}

  failed(failure: CallFailure): void {
    this.#finish(faultOf(failure));
  }

  #finishWith(status: GrpcStatus | undefined): void {
    const { code, message } = status ?? { code: 2, message: 'the response has no status' };
    this.#finish(code === 0 ? undefined : new Fault(kindFromGrpcCode(code), message));
  }

  #fail(fault: Fault): void {
    this.outbound?.reset(h2ErrorCodes.cancel);
    this.#finish(fault);
  }

  #finish(fault: Fault | undefined): void {
    this.#end ??= { fault };
    this.#changed.resolve();
  }
}

function faultOf(failure: CallFailure): Fault {
  switch (failure.kind) {
    case 'reset':
      return new Fault(
        kindFromGrpcCode(grpcCodeFromH2Error(failure.code)),
        `the call was reset: ${h2ErrorName(failure.code)}`,
      );
    case 'refused':
      return new Fault('unavailable', 'the call was refused');
    case 'silent':
      return new Fault('unavailable', 'the server stopped responding');
    case 'connection-closed':
      return new Fault('unavailable', failure.reason === '' ? 'the connection was closed' : failure.reason);
    case 'protocol':
      return new Fault('unavailable', failure.reason);
  }
}
