import { setImmediate as nextTurn } from 'node:timers/promises';
import { overrunMessage } from '../faults.ts';
import type { QueryWork } from '../query/query-work.ts';
import type { KindRef } from '../resource.ts';
import type { ResourceEvent, Watch } from '../state.ts';
import type { Collection, Waiter } from './collection.ts';
import type { Collections } from './collections.ts';
import type { StoredEvent } from './event-log.ts';

export interface StoreWatchInit {
  readonly kind: KindRef;
  readonly collections: Collections;
  /** The only watched id; undefined: all ids. */
  readonly id: string | undefined;
  /** Events that the watch sends first. */
  readonly initial: readonly ResourceEvent[];
  /** The number of the last event that the watch skips. */
  readonly after: number;
  readonly isAggregated: boolean;
  /** Converts an event for this watcher; undefined: the event is not sent. */
  readonly view: (event: StoredEvent) => ResourceEvent | undefined;
  /** What the view takes; undefined: nothing worth counting. */
  readonly work?: QueryWork;
  readonly signal: AbortSignal | undefined;
}

/** The most events per batch, so that one watcher does not delay the others. */
const batchLimit = 256;

/**
 * Reads the log of a collection at its reader's pace: the writer never waits. A reader that falls behind the
 * kept events gets one `errored` event and nothing after it.
 */
export class StoreWatch implements Watch, Waiter {
  readonly #init: Omit<StoreWatchInit, 'initial'>;
  readonly #collection: Collection;
  readonly #closed = new AbortController();
  /** Those that are not sent yet. A watch may last for years: it does not keep its first list. */
  #initial: ResourceEvent[];
  #seen: number;
  #isLost = false;
  #wake: (() => void) | undefined;
  readonly #close = () => this[Symbol.dispose]();

  constructor({ initial, ...init }: StoreWatchInit) {
    this.#init = init;
    // The last one is taken first, which takes no time however many there are.
    this.#initial = init.isAggregated ? [...initial] : initial.toReversed();
    this.#seen = init.after;
    this.#collection = init.collections.startWatch(init.kind);
    if (init.signal?.aborted) this.#close();
    else init.signal?.addEventListener('abort', this.#close);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly ResourceEvent[], void> {
    try {
      const { work } = this.#init;
      while (!this.#closed.signal.aborted) {
        if (work?.isHalfSpent) {
          await nextTurn();
          if (this.#closed.signal.aborted) return;
          work.renew();
        }
        const events = this.#take();
        if (events.length > 0) yield events;
        else if (!work?.isHalfSpent) await this.#sleep();
      }
    } finally {
      this.#close();
    }
  }

  offer(event: StoredEvent, number: number): boolean {
    // Every event that concerns this watch is offered, so the events before this one can be skipped.
    this.#seen = number - 1;
    const { view, work } = this.#init;
    // Without steps left for this turn, the watch looks at the event in its own turn.
    if (!work?.isHalfSpent && view(event) === undefined) {
      this.#seen = number;
      return false;
    }
    this.#wake?.();
    return true;
  }

  [Symbol.dispose](): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    const { signal, collections, kind, id } = this.#init;
    signal?.removeEventListener('abort', this.#close);
    this.#collection.stopWaiting(this, id);
    collections.stopWatch(kind, this.#collection);
    this.#wake?.();
  }

  #take(): readonly ResourceEvent[] {
    const { isAggregated, kind, view, work } = this.#init;
    if (this.#isLost) return [];
    if (this.#initial.length > 0) return this.#takeInitial();
    const { log } = this.#collection;
    if (this.#seen < log.oldest) {
      this.#isLost = true;
      return [{ kind: 'errored', message: overrunMessage(kind) }];
    }
    const events: ResourceEvent[] = [];
    const limit = isAggregated ? batchLimit : 1;
    while (this.#seen < log.total && events.length < limit && !work?.isHalfSpent && !this.#isLost) {
      this.#seen += 1;
      const event = view(log.at(this.#seen));
      if (event !== undefined) events.push(event);
      this.#isLost = event?.kind === 'errored';
    }
    return events;
  }

  #takeInitial(): readonly ResourceEvent[] {
    if (!this.#init.isAggregated) return [this.#initial.pop() as ResourceEvent];
    const events = this.#initial;
    this.#initial = [];
    return events;
  }

  async #sleep(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    if (!this.#isLost) this.#collection.wait(this, this.#init.id);
    await promise;
    this.#wake = undefined;
  }
}
