import {
  type GrpcStatus,
  type InboundCall,
  type InboundReceiver,
  messagePrefix,
  type RawHeaders,
  statusFromHeaders,
} from '@nodewright/h2';

/** A client's call whose bytes a test hands over one by one. */
export class FakeCall implements InboundCall {
  readonly method = 'POST';
  readonly authority = 'node01';
  readonly path: string;
  readonly headers: RawHeaders;
  /** How the call ended; undefined before. */
  status: GrpcStatus | undefined;
  #isPaused = true;
  #receiver: InboundReceiver | undefined;
  /** What the client has sent while the call was paused. */
  readonly #pending: ((receiver: InboundReceiver) => void)[] = [];

  constructor(path: string, headers: RawHeaders) {
    this.path = path;
    this.headers = [':method', 'POST', ':path', path, 'content-type', 'application/grpc', ...headers];
  }

  /** What waits here is the test's. */
  limitUnread(): void {}

  receive(receiver: InboundReceiver): void {
    this.#receiver = receiver;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    // Receivers hear nothing from inside a method of the call.
    queueMicrotask(() => this.#deliver());
  }

  respond(headers: RawHeaders, last = false): void {
    if (last) this.status = statusFromHeaders(headers);
  }

  write(): boolean {
    return true;
  }

  finish(trailers: RawHeaders): void {
    this.status = statusFromHeaders(trailers);
  }

  reset(): void {}

  /** The client sends bytes, which arrive once the call is not paused. */
  send(bytes: Uint8Array): void {
    this.#pending.push((receiver) => receiver.requestData(Buffer.from(bytes)));
    this.#deliver();
  }

  sendMessage(message: Uint8Array): void {
    this.send(Buffer.concat([messagePrefix(message.length), message]));
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
