import {
  type GrpcStatus,
  type InboundCall,
  type InboundReceiver,
  messagePrefix,
  type RawHeaders,
  statusFromHeaders,
} from '@nodewright/h2';

/** A client's call in a test, which supplies the bytes one by one. */
export class FakeCall implements InboundCall {
  readonly method = 'POST';
  readonly authority = 'node01';
  readonly path: string;
  readonly headers: RawHeaders;
  /** The status that the call ended with; `undefined` while it is open. */
  status: GrpcStatus | undefined;
  #isPaused = true;
  #receiver: InboundReceiver | undefined;
  /** Events that arrived while the call was paused. */
  readonly #pending: ((receiver: InboundReceiver) => void)[] = [];

  constructor(path: string, headers: RawHeaders) {
    this.path = path;
    this.headers = [':method', 'POST', ':path', path, 'content-type', 'application/grpc', ...headers];
  }

  get isSent(): boolean {
    return this.status !== undefined;
  }

  /** Does nothing: tests do not limit unread bytes. */
  limitUnread(): void {}

  receive(receiver: InboundReceiver): void {
    this.#receiver = receiver;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    // An inbound call sends no event from inside one of its methods.
    queueMicrotask(() => this.#deliver());
  }

  respond(headers: RawHeaders, last = false): void {
    if (last) this.status = statusFromHeaders(headers);
  }

  write(): boolean {
    return true;
  }

  writePart(): boolean {
    return true;
  }

  finish(trailers: RawHeaders): undefined {
    this.status = statusFromHeaders(trailers);
  }

  reset(): void {}

  /** The client sends bytes. They are delivered while the call is not paused. */
  send(bytes: Uint8Array): void {
    this.#pending.push((receiver) => receiver.requestData(Buffer.from(bytes)));
    this.#deliver();
  }

  sendMessage(message: Uint8Array): void {
    this.send(Buffer.concat([messagePrefix(message.length), message]));
    this.end();
  }

  /** The client ends its request. */
  end(): void {
    this.#pending.push((receiver) => receiver.requestEnded());
    this.#deliver();
  }

  cancel(): void {
    this.#receiver?.cancelled(8);
  }

  #deliver(): void {
    const receiver = this.#receiver;
    while (receiver !== undefined && !this.#isPaused) {
      const next = this.#pending.shift();
      if (next === undefined) return;
      next(receiver);
    }
  }
}
