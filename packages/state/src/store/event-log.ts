import type { ResourceEvent } from '../state.ts';

/** A change that happened; it carries the bookmark of its place. */
export type StoredEvent = ResourceEvent & { readonly kind: 'created' | 'updated' | 'destroyed' };

/**
 * How many events of a kind are kept for readers that are behind: a ring of 1024 whose last four places are left to
 * the writer. Source: Talos v1.14: COSI watch semantics, slow reader.
 */
export const historyLimit = 1020;

/** The last events of one kind, under the numbers 1, 2, 3, ... */
export class EventLog {
  readonly #events: StoredEvent[] = [];
  #total = 0;

  /** How many events there have been: the number of the last one. */
  get total(): number {
    return this.#total;
  }

  /** The number of the oldest event that is kept, less one: readers can go on from there. */
  get oldest(): number {
    return this.#total - this.#events.length;
  }

  /** Takes the next event; gives its number. */
  append(event: StoredEvent): number {
    if (this.#events.length < historyLimit) this.#events.push(event);
    else this.#events[this.#total % historyLimit] = event;
    this.#total += 1;
    return this.#total;
  }

  /** The event with this number, of those that are kept. */
  at(number: number): StoredEvent {
    return this.#events[(number - 1) % historyLimit] as StoredEvent;
  }
}
