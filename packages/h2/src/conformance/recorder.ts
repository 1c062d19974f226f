import type { CallFailure, InboundCall, InboundReceiver, OutboundCall, OutboundReceiver } from '../call.ts';
import type { ClientConnection } from '../engine.ts';
import type { RawHeaders } from '../raw-headers.ts';

/** All events of an outbound call. */
export interface Answer {
  headers: RawHeaders | undefined;
  /** Whether the headers were the whole response. */
  last: boolean;
  body: Buffer[];
  trailers: RawHeaders | undefined;
  failure: CallFailure | undefined;
}

/** Records the events of an outbound call. */
export class AnswerRecorder implements OutboundReceiver {
  readonly answer: Answer = {
    headers: undefined,
    last: false,
    body: [],
    trailers: undefined,
    failure: undefined,
  };
  /** Events after the end; there must be none. */
  readonly late: string[] = [];
  readonly #headers = Promise.withResolvers<RawHeaders>();
  readonly #done = Promise.withResolvers<Answer>();
  #drained = Promise.withResolvers<void>();
  #over = false;
  /** Called inside the event of the headers, before any body can be delivered. */
  onHeaders: () => void = () => {};

  /** Resolves with the response headers; never settles when there are none. */
  get headers(): Promise<RawHeaders> {
    return this.#headers.promise;
  }

  /** Resolves when the response is complete or the call failed. */
  get done(): Promise<Answer> {
    return this.#done.promise;
  }

  /** Resolves at the next `requestDrained`. */
  get drained(): Promise<void> {
    return this.#drained.promise;
  }

  answerHeaders(headers: RawHeaders, last: boolean): void {
    if (this.#isOver('headers')) return;
    Object.assign(this.answer, { headers, last });
    this.#headers.resolve(headers);
    this.onHeaders();
    if (last) this.#finish();
  }

  answerData(chunk: Buffer): void {
    if (this.#isOver('data')) return;
    if (this.answer.headers === undefined) this.late.push('data before headers');
    this.answer.body.push(chunk);
  }

  answerEnded(trailers: RawHeaders): void {
    if (this.#isOver('ended')) return;
    this.answer.trailers = trailers;
    this.#finish();
  }

  requestDrained(): void {
    this.#drained.resolve();
    this.#drained = Promise.withResolvers();
  }

  failed(failure: CallFailure): void {
    if (this.#isOver('failed')) return;
    this.answer.failure = failure;
    this.#finish();
  }

  #finish(): void {
    this.#over = true;
    this.#done.resolve(this.answer);
  }

  #isOver(event: string): boolean {
    if (this.#over) this.late.push(event);
    return this.#over;
  }
}

/** Records the events of an inbound call. */
export class RequestRecorder implements InboundReceiver {
  readonly body: Buffer[] = [];
  readonly #ended = Promise.withResolvers<Buffer>();
  readonly #cancelled = Promise.withResolvers<number>();
  #drained = Promise.withResolvers<void>();

  constructor(call: InboundCall) {
    call.receive(this);
  }

  /** Resolves with the whole body when the client ends the request. */
  get ended(): Promise<Buffer> {
    return this.#ended.promise;
  }

  /** Resolves with the error code when the client cancels the call. */
  get cancel(): Promise<number> {
    return this.#cancelled.promise;
  }

  get drained(): Promise<void> {
    return this.#drained.promise;
  }

  requestData(chunk: Buffer): void {
    this.body.push(chunk);
  }

  requestEnded(): void {
    this.#ended.resolve(Buffer.concat(this.body));
  }

  answerDrained(): void {
    this.#drained.resolve();
    this.#drained = Promise.withResolvers();
  }

  cancelled(code: number): void {
    this.#cancelled.resolve(code);
  }
}

export const requestHead: RawHeaders = [
  ':method',
  'POST',
  ':scheme',
  'http',
  ':authority',
  'localhost',
  ':path',
  '/test.Service/Method',
  'te',
  'trailers',
  'content-type',
  'application/grpc',
];

export const answerHead: RawHeaders = [':status', '200', 'content-type', 'application/grpc'];

/** Opens a call with `extra` fields after the usual ones; throws when the connection is not usable. */
export function openRecordedCall(
  client: ClientConnection,
  extra: RawHeaders = [],
): { call: OutboundCall; recorder: AnswerRecorder } {
  const recorder = new AnswerRecorder();
  const call = client.openCall([...requestHead, ...extra], recorder);
  if (call === undefined) throw new Error('the connection accepts no calls');
  return { call, recorder };
}
