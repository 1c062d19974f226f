import { aborted } from '@nodewright/async';
import type {
  DeepPartial,
  StateDefinition,
  WatchRequest,
  WatchResponse,
} from '@nodewright/contract/gen/cosi/resource/state.ts';
import { type Fault, faultFrom } from '@nodewright/fault';
import type { Client } from 'nice-grpc';
import type { SpecCodecs } from '../spec/spec-codec.ts';
import type { ResourceEvent, Watch } from '../state.ts';
import { eventFromMessage } from './event-messages.ts';

/** How a watch resumes from its last bookmark after its stream broke. */
export interface RetryPolicy {
  /** The delay before an attempt, in ms. Attempts count from 1 after every event. */
  readonly delayMs: (attempt: number) => number;
  /** Resolves after the time, or earlier when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface ClientWatchInit {
  readonly client: Client<typeof StateDefinition>;
  readonly request: DeepPartial<WatchRequest>;
  readonly codecs: SpecCodecs;
  readonly retry: RetryPolicy | undefined;
  readonly signal: AbortSignal | undefined;
}

/** A watch over a stream. Source: Talos v1.14: COSI watch semantics, client retry. */
export class ClientWatch implements Watch {
  readonly #init: ClientWatchInit;
  readonly #closed = new AbortController();
  readonly #close = () => this[Symbol.dispose]();
  #stream: AsyncIterator<WatchResponse> | undefined;
  #bookmark: Buffer | undefined;

  private constructor(init: ClientWatchInit) {
    this.#init = init;
    if (init.signal?.aborted) this.#closed.abort();
    else init.signal?.addEventListener('abort', this.#close);
  }

  /** Resolves when the server confirms that the watch is in place. @throws Fault */
  static async open(init: ClientWatchInit): Promise<ClientWatch> {
    const watch = new ClientWatch(init);
    try {
      watch.#stream = await watch.#connect(init.request);
      return watch;
    } catch (error) {
      const isClosed = watch.#closed.signal.aborted;
      watch.#close();
      // The caller aborted: return a watch that has ended, as every other state does.
      if (isClosed) return watch;
      throw faultFrom(error);
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly ResourceEvent[], void> {
    const { signal } = this.#closed;
    try {
      for (let attempt = 0; !signal.aborted; ) {
        const events = await this.#next(attempt);
        if (events === undefined) attempt += 1;
        else {
          attempt = 0;
          if (!signal.aborted) yield events;
        }
      }
    } finally {
      this.#close();
    }
  }

  [Symbol.dispose](): void {
    this.#init.signal?.removeEventListener('abort', this.#close);
    this.#closed.abort();
  }

  /** The next events; `undefined` when the stream broke and the caller must call again. */
  async #next(attempt: number): Promise<readonly ResourceEvent[] | undefined> {
    try {
      this.#stream ??= await this.#reconnect(attempt);
      const { value, done } = await this.#stream.next();
      if (done) throw faultFrom(new Error('the server ended the watch'));
      const events = (value as WatchResponse).event.map((event) =>
        eventFromMessage(event, this.#init.codecs),
      );
      for (const event of events) {
        if ('bookmark' in event && event.bookmark) this.#bookmark = Buffer.from(event.bookmark);
      }
      return events;
    } catch (error) {
      this.#stream = undefined;
      if (this.#closed.signal.aborted) return undefined;
      return this.#afterFailure(faultFrom(error));
    }
  }

  async #afterFailure({ kind, message }: Fault): Promise<readonly ResourceEvent[] | undefined> {
    const isHopeless = kind === 'failed-precondition' || this.#bookmark === undefined;
    if (this.#init.retry !== undefined && !isHopeless) return undefined;
    this.#stream = emptyStream(this.#closed.signal);
    return [{ kind: 'errored', message }];
  }

  async #reconnect(attempt: number): Promise<AsyncIterator<WatchResponse>> {
    const { retry, request } = this.#init;
    const { signal } = this.#closed;
    await retry?.sleep(retry.delayMs(attempt), signal);
    signal.throwIfAborted();
    const options = {
      ...request.options,
      tailEvents: 0,
      bootstrapContents: false,
      bootstrapBookmark: false,
      startFromBookmark: this.#bookmark,
    };
    return this.#connect({ ...request, options });
  }

  async #connect(request: DeepPartial<WatchRequest>): Promise<AsyncIterator<WatchResponse>> {
    const { signal } = this.#closed;
    const stream = this.#init.client.watch(request, { signal })[Symbol.asyncIterator]();
    const { done } = await stream.next();
    if (done) throw new Error('the server ended the watch before it began');
    return stream;
  }
}

/** Replaces the stream of a failed watch: it stays open without messages until the watch is closed. */
// biome-ignore lint/correctness/useYield: it has no messages
async function* emptyStream(signal: AbortSignal): AsyncGenerator<WatchResponse> {
  await aborted(signal);
}
