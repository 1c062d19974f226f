import { Deadline } from '@nodewright/async';
import { EtcdFault } from '../etcd-fault.ts';

/** The deadline of a call, combined with the other signals that end it. */
export class CallTime implements Disposable {
  readonly signal: AbortSignal;
  readonly #timeoutMs: number;
  readonly #startedMs = performance.now();
  readonly #deadline: Deadline;
  readonly #others: readonly AbortSignal[];

  /** @param timeoutMs no deadline when it is infinite */
  constructor(timeoutMs: number, others: readonly (AbortSignal | undefined)[]) {
    this.#timeoutMs = timeoutMs;
    this.#others = others.filter((signal) => signal !== undefined);
    this.#deadline = new Deadline(timeoutMs, ...others);
    this.signal = this.#deadline.signal;
  }

  get over(): boolean {
    return this.signal.aborted;
  }

  /** The remaining time in ms, at least 1. */
  get leftMs(): number {
    return Math.max(1, this.#timeoutMs - (performance.now() - this.#startedMs));
  }

  /** The fault to throw when the call has ended early. */
  fault(endpoint: string, cause?: unknown): EtcdFault {
    if (this.#others.some((signal) => signal.aborted))
      return new EtcdFault('cancelled', `the call to etcd at ${endpoint} was cancelled`, { endpoint, cause });
    const message = `etcd at ${endpoint} did not answer within ${Math.round(this.#timeoutMs)} ms`;
    return new EtcdFault('deadline-exceeded', message, { endpoint, cause });
  }

  [Symbol.dispose](): void {
    this.#deadline[Symbol.dispose]();
  }
}
