import { Fault } from '@nodewright/fault';
import { type InboundCall, type InboundReceiver, MessageCollector, OversizeMessage } from '@nodewright/h2';
import type { ByteBudget } from '../domain/byte-budget.ts';
import { trustdLimits } from '../domain/limits.ts';

const cancelled = () => new Fault('cancelled', 'the caller cancelled the call');

/**
 * The body of a unary call. It stores nothing before `collect`: the call is paused, and HTTP/2 flow control
 * stops the client. After `discard`, arriving bytes are dropped.
 */
export class RequestBody implements InboundReceiver {
  readonly #call: InboundCall;
  readonly #budget: ByteBudget;
  readonly #collector = new MessageCollector(trustdLimits.messageBytes);
  readonly #gone = new AbortController();
  #collected: PromiseWithResolvers<Uint8Array> | undefined;
  #message: Uint8Array | undefined;
  #heldBytes = 0;

  constructor(call: InboundCall, budget: ByteBudget) {
    this.#call = call;
    this.#budget = budget;
    call.receive(this);
  }

  /** Aborts when the client cancels the call or disconnects. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Drops all bytes that have arrived and all that follow. */
  discard(): void {
    this.#stop();
    this.#call.resume();
  }

  /**
   * Resolves with the one message of the call.
   *
   * @throws Fault `resource-exhausted` for a message over the limit, or when the bodies of all calls exceed
   * the budget; `invalid-argument` for a body that is not exactly one message; `unimplemented` for a
   * compressed message; `deadline-exceeded` when `signal` aborts first; `cancelled` when the client cancels
   */
  async collect(signal: AbortSignal): Promise<Uint8Array> {
    if (this.gone.aborted) throw cancelled();
    const collected = Promise.withResolvers<Uint8Array>();
    this.#collected = collected;
    const onLate = () =>
      collected.reject(new Fault('deadline-exceeded', 'the request did not arrive in time'));
    signal.addEventListener('abort', onLate, { once: true });
    this.#call.resume();
    try {
      return await collected.promise;
    } finally {
      signal.removeEventListener('abort', onLate);
      this.#stop();
    }
  }

  requestData(chunk: Buffer): void {
    if (this.#collected === undefined) return;
    try {
      this.#take(chunk);
    } catch (error) {
      this.#collected.reject(error);
      this.#stop();
    }
  }

  requestEnded(): void {
    if (this.#collector.insideMessage) {
      const reason = `the request ended inside a message: ${this.#collector.shortfall}`;
      this.#collected?.reject(new Fault('invalid-argument', reason));
    } else if (this.#message !== undefined) this.#collected?.resolve(this.#message);
    else this.#collected?.reject(new Fault('invalid-argument', 'the request has no message'));
  }

  answerDrained(): void {}

  cancelled(): void {
    this.#gone.abort();
    this.#collected?.reject(cancelled());
  }

  #take(chunk: Buffer): void {
    if (!this.#budget.take(chunk.length)) {
      throw new Fault('resource-exhausted', 'too many requests are being received: try again later');
    }
    this.#heldBytes += chunk.length;
    try {
      for (const { body, compressed } of this.#collector.push(chunk)) {
        if (compressed) throw new Fault('unimplemented', 'compressed requests are not implemented');
        if (this.#message !== undefined) throw new Fault('invalid-argument', 'the request has two messages');
        this.#message = body;
      }
    } catch (error) {
      if (!(error instanceof OversizeMessage)) throw error;
      throw new Fault(
        'resource-exhausted',
        `the message has ${error.sizeBytes} bytes, more than ${error.limitBytes}`,
      );
    }
  }

  #stop(): void {
    this.#collected = undefined;
    this.#budget.give(this.#heldBytes);
    this.#heldBytes = 0;
  }
}
