// One call of gRPC over HTTP/2. The texts of its failures are those of the gRPC library, which callers know.
import { maxMessageSizeBytes } from '@nodewright/contract';
import { grpcCodeFromKind } from '@nodewright/fault';
import {
  type CallFailure,
  grpcCodeFromHttpStatus,
  h2ErrorCodes,
  headerValue,
  MessageCollector,
  messagePrefix,
  type OutboundCall,
  type OutboundReceiver,
  OversizeMessage,
  type RawHeaders,
  statusFromHeaders,
} from '@nodewright/h2/client';
import type { CallOptions } from 'nice-grpc';
import { ClientError, Metadata } from 'nice-grpc-common';

/** The connection of a call. */
export interface CallCarrier {
  /** `host:port`. */
  readonly authority: string;
  /** Returns `undefined` when there is no connection. */
  openCall(headers: RawHeaders, receiver: OutboundReceiver): OutboundCall | undefined;
  /** Keeps the process alive until the result is disposed. */
  holdProcess(): Disposable;
}

export interface DirectCallInit<Reply> {
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly requests: AsyncIterable<Uint8Array>;
  /** Its error ends the call. */
  readonly decode: (bytes: Uint8Array) => Reply;
  readonly options: CallOptions;
}

export const statusCodes = {
  ok: 0,
  cancelled: grpcCodeFromKind('cancelled'),
  resourceExhausted: grpcCodeFromKind('resource-exhausted'),
  permissionDenied: grpcCodeFromKind('permission-denied'),
  unimplemented: grpcCodeFromKind('unimplemented'),
  internal: grpcCodeFromKind('internal'),
  unavailable: grpcCodeFromKind('unavailable'),
} as const;

interface Status {
  readonly code: number;
  readonly details: string;
}

/**
 * Makes a call and yields its messages. The call ends when the consumer leaves. Before the first message is asked for, nothing is sent.
 *
 * @throws ClientError for every status but OK; an AbortError when the signal of the options is aborted; the error of `requests`
 */
export async function* openDirectCall<Reply>(
  carrier: CallCarrier,
  init: DirectCallInit<Reply>,
): AsyncGenerator<Reply, void, undefined> {
  const { path, options } = init;
  const { signal } = options;
  if (signal?.aborted) throw abortError();
  const receiver = new Receiver(options);
  const call = carrier.openCall(requestHeaders(carrier.authority, path, options), receiver);
  if (call === undefined) throw new ClientError(path, statusCodes.unavailable, 'No connection established');
  using _hold = carrier.holdProcess();
  receiver.call = call;
  const onAbort = () => receiver.abandon(abortError());
  signal?.addEventListener('abort', onAbort);
  void sendRequests(init.requests, call, receiver);
  try {
    for (;;) {
      const message = await receiver.next(path);
      if (message === undefined) return;
      yield init.decode(message);
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    receiver.abandon(undefined);
    // biome-ignore lint/correctness/noUnsafeFinally: an abort takes the place of every other end, as in nice-grpc
    if (signal?.aborted) throw abortError();
  }
}

const abortError = () => new DOMException('The operation has been aborted', 'AbortError');

function requestHeaders(authority: string, path: string, { metadata }: CallOptions): string[] {
  const headers = [':method', 'POST', ':scheme', 'https', ':authority', authority, ':path', path];
  headers.push('te', 'trailers', 'content-type', 'application/grpc', 'user-agent', 'nodewright-client');
  headers.push('grpc-accept-encoding', 'identity');
  for (const [key, values] of Metadata(metadata)) {
    for (const value of values)
      headers.push(key, typeof value === 'string' ? value : Buffer.from(value).toString('base64'));
  }
  return headers;
}

async function sendRequests(
  requests: AsyncIterable<Uint8Array>,
  call: OutboundCall,
  receiver: Receiver,
): Promise<void> {
  try {
    for await (const bytes of requests) {
      if (receiver.isOver) return;
      if (!call.write(Buffer.concat([messagePrefix(bytes.length), bytes]))) await receiver.drained();
      if (receiver.isOver) return;
    }
    call.end();
  } catch (error) {
    receiver.abandon(error);
  }
}

/** Fields of a header block as metadata. Values of `-bin` keys are base64, and may be several with commas. */
function metadataFrom(headers: RawHeaders, withStatus: boolean): Metadata {
  const metadata = Metadata();
  for (let at = 0; at < headers.length; at += 2) {
    const [key = '', value = ''] = [headers[at], headers[at + 1]];
    if (key.startsWith(':') || (!withStatus && (key === 'grpc-status' || key === 'grpc-message'))) continue;
    const values = key.endsWith('-bin')
      ? value.split(',').map((part) => Buffer.from(part, 'base64'))
      : [value];
    try {
      for (const each of values) metadata.append(key, each);
    } catch {
      // Names and values that metadata cannot have, such as one that is not ASCII.
    }
  }
  return metadata;
}

/** What has arrived of the response and was not taken. */
class Receiver implements OutboundReceiver {
  call: OutboundCall | undefined;
  readonly #options: CallOptions;
  readonly #collector = new MessageCollector(maxMessageSizeBytes);
  #messages: Buffer[] = [];
  /** How many of them were taken. Removing the first of many takes as long as moving all others. */
  #taken = 0;
  #httpStatus = 200;
  #status: Status | undefined;
  /** Why the caller gave up. */
  #reason: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;
  #drained: (() => void) | undefined;

  constructor(options: CallOptions) {
    this.#options = options;
  }

  /** Whether no further message of the request is of use. */
  get isOver(): boolean {
    return this.#status !== undefined || this.#reason !== undefined;
  }

  /** The next message; `undefined` after the last one of a call with the status OK. */
  async next(path: string): Promise<Buffer | undefined> {
    for (;;) {
      if (this.#reason !== undefined) throw this.#reason.error;
      const message = this.#messages[this.#taken];
      if (message !== undefined) {
        this.#taken += 1;
        return message;
      }
      this.#messages = [];
      this.#taken = 0;
      if (this.#status !== undefined) {
        const { code, details } = this.#status;
        if (code === statusCodes.ok) return undefined;
        throw new ClientError(path, code, details);
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      this.call?.resume();
      await promise;
    }
  }

  /** Ends the call unless it is over. A reader gets the error. */
  abandon(error: unknown): void {
    if (this.#reason !== undefined) return;
    this.#reason = { error };
    if (this.#status === undefined) this.call?.reset(h2ErrorCodes.cancel);
    this.#notify();
  }

  /** Resolves when the request may go on, or is over. */
  drained(): Promise<void> {
    if (this.isOver) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drained = resolve;
    return promise;
  }

  answerHeaders(headers: RawHeaders, last: boolean): void {
    this.#httpStatus = Number(headerValue(headers, ':status'));
    if (last) this.#end(headers);
    else this.#options.onHeader?.(metadataFrom(headers, true));
  }

  answerData(chunk: Buffer): void {
    // The body of a page that says what is wrong is no message.
    if (this.#httpStatus !== 200 || this.isOver) return;
    try {
      for (const { body, compressed } of this.#collector.push(chunk)) {
        if (compressed) {
          this.#cancel(statusCodes.internal, 'Received a compressed message, which was not asked for');
          return;
        }
        this.#messages.push(body);
      }
    } catch (error) {
      if (!(error instanceof OversizeMessage)) throw error;
      const { sizeBytes, limitBytes } = error;
      this.#cancel(
        statusCodes.resourceExhausted,
        `Received message larger than max (${sizeBytes} vs ${limitBytes})`,
      );
      return;
    }
    if (this.#messages.length === 0) return;
    this.call?.pause();
    this.#notify();
  }

  answerEnded(trailers: RawHeaders): void {
    if (trailers.length > 0) this.#end(trailers);
    else if (this.#httpStatus !== 200) this.#settle(httpStatus(this.#httpStatus), []);
    else this.#settle(resetStatus(h2ErrorCodes.noError), []);
  }

  requestDrained(): void {
    this.#drained?.();
    this.#drained = undefined;
  }

  failed(failure: CallFailure): void {
    this.#settle(failureStatus(failure), []);
  }

  #cancel(code: number, details: string): void {
    this.call?.reset(h2ErrorCodes.cancel);
    this.#settle({ code, details }, []);
  }

  #end(trailers: RawHeaders): void {
    const status = statusFromHeaders(trailers);
    if (status?.code === statusCodes.ok && this.#collector.insideMessage) {
      const details = `Received a message that is cut off: ${this.#collector.shortfall}`;
      this.#settle({ code: statusCodes.internal, details }, trailers);
      return;
    }
    this.#settle(
      status === undefined ? httpStatus(this.#httpStatus) : { code: status.code, details: status.message },
      trailers,
    );
  }

  #settle(status: Status, trailers: RawHeaders): void {
    if (this.#status !== undefined) return;
    this.#status = status;
    this.#options.onTrailer?.(metadataFrom(trailers, false));
    this.#notify();
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = undefined;
    if (this.isOver) this.requestDrained();
  }
}

const httpStatus = (status: number): Status => ({
  code: grpcCodeFromHttpStatus(status),
  details: `Received HTTP status code ${status}`,
});

function failureStatus(failure: CallFailure): Status {
  switch (failure.kind) {
    case 'reset':
      return resetStatus(failure.code);
    case 'refused':
      return { code: statusCodes.unavailable, details: 'Stream refused by server' };
    case 'connection-closed': {
      const isError = /^(?:read|write) E[A-Z]+$/.test(failure.reason);
      return { code: statusCodes.unavailable, details: isError ? failure.reason : 'Connection dropped' };
    }
    case 'silent':
      return { code: statusCodes.unavailable, details: 'Connection dropped' };
    case 'protocol': {
      const { details } = resetStatus(h2ErrorCodes.protocolError);
      return {
        code: statusCodes.internal,
        details: `${details} triggered by internal client error: ${failure.reason}`,
      };
    }
  }
}

/** The status of a call that ended by RST_STREAM, or without a status. */
function resetStatus(code: number): Status {
  const details = `Received RST_STREAM with code ${code}`;
  switch (code) {
    case h2ErrorCodes.noError:
      return { code: statusCodes.internal, details: `${details} (Call ended without gRPC status)` };
    case h2ErrorCodes.internalError:
      return { code: statusCodes.internal, details: `${details} (Internal server error)` };
    case h2ErrorCodes.cancel:
      return { code: statusCodes.cancelled, details: 'Call cancelled' };
    case h2ErrorCodes.enhanceYourCalm:
      return {
        code: statusCodes.resourceExhausted,
        details: 'Bandwidth exhausted or memory limit exceeded',
      };
    case h2ErrorCodes.inadequateSecurity:
      return { code: statusCodes.permissionDenied, details: 'Protocol not secure enough' };
    default:
      return { code: statusCodes.internal, details };
  }
}
