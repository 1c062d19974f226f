import { createHash } from 'node:crypto';
import { type Fault, faultFrom } from '@nodewright/fault';

export type RequestState<T> =
  | { readonly kind: 'running' }
  | { readonly kind: 'done'; readonly value: T; readonly startedAtMs: number }
  | { readonly kind: 'failed'; readonly fault: Fault };

interface Running<T> {
  readonly key: string;
  readonly stop: AbortController;
  state: RequestState<T>;
}

/**
 * A request that may take longer than a pass. The controller keeps reacting to its inputs, and a change of
 * them aborts the request and starts another. `wake` is called when there is a result.
 */
export class BackgroundRequest<T> implements Disposable {
  readonly #wake: () => void;
  #running: Running<T> | undefined;

  constructor(wake: () => void) {
    this.#wake = wake;
  }

  /**
   * The state of the request for `inputs`, which is started if there is none. Each result is returned once.
   */
  poll(inputs: unknown, nowMs: number, send: (signal: AbortSignal) => Promise<T>): RequestState<T> {
    const key = createHash('sha256').update(JSON.stringify(inputs)).digest('hex');
    if (this.#running?.key !== key) {
      this[Symbol.dispose]();
      this.#begin(key, nowMs, send);
    }
    const { state } = this.#running as Running<T>;
    if (state.kind !== 'running') this.#running = undefined;
    return state;
  }

  /** Whether a request has been sent that has no result yet. */
  get isPending(): boolean {
    return this.#running?.state.kind === 'running';
  }

  [Symbol.dispose](): void {
    this.#running?.stop.abort();
    this.#running = undefined;
  }

  #begin(key: string, startedAtMs: number, send: (signal: AbortSignal) => Promise<T>): void {
    const running: Running<T> = { key, stop: new AbortController(), state: { kind: 'running' } };
    this.#running = running;
    const finish = (state: RequestState<T>) => {
      running.state = state;
      if (!running.stop.signal.aborted) this.#wake();
    };
    send(running.stop.signal).then(
      (value) => finish({ kind: 'done', value, startedAtMs }),
      (error: unknown) => finish({ kind: 'failed', fault: faultFrom(error) }),
    );
  }
}
