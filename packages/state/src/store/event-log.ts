import type { ResourceEvent } from '../state.ts';

/** A change that happened; it carries the bookmark of its place. */
export type StoredEvent = ResourceEvent & { readonly kind: 'created' | 'updated' | 'destroyed' };

/**
 * How many events of a kind are kept for readers that are behind: a ring of 1024 whose last four places are left to
 * the writer. Source: Talos v1.14: COSI watch semantics, slow reader.
 */
export const historyLimit = 1020;

/**
 * How much of specs that are texts is kept for readers that are behind, in UTF-16 units: each version of a machine
 * configuration may have 8 MiB. The last events are kept whatever they have, so that a reader that keeps up loses none.
 */
export const historyTextLimit = 4 * 1024 ** 2;
export const leastHistory = 4;

/** The last events of one kind, under the numbers 1, 2, 3, ... */
export class EventLog {
  readonly #events: (StoredEvent | undefined)[] = [];
  #total = 0;
  #kept = 0;
  #text = 0;

  /** How many events there have been: the number of the last one. */
  get total(): number {
    return this.#total;
  }

  /** The number of the oldest event that is kept, less one: readers can go on from there. */
  get oldest(): number {
    return this.#total - this.#kept;
  }

  /** Takes the next event; gives its number. */
  append(event: StoredEvent): number {
    if (this.#kept === historyLimit) this.#forgetOldest();
    this.#events[this.#total % historyLimit] = event;
    this.#total += 1;
    this.#kept += 1;
    this.#text += textOf(event);
    while (this.#text > historyTextLimit && this.#kept > leastHistory) this.#forgetOldest();
    return this.#total;
  }

  /** The event with this number, of those that are kept. */
  at(number: number): StoredEvent {
    return this.#events[(number - 1) % historyLimit] as StoredEvent;
  }

  #forgetOldest(): void {
    this.#text -= textOf(this.at(this.oldest + 1));
    this.#events[this.oldest % historyLimit] = undefined;
    this.#kept -= 1;
  }
}

/** How long the text is that only this event may keep in memory. */
function textOf(event: StoredEvent): number {
  const { spec } = event.kind === 'updated' ? event.old : event.resource;
  return typeof spec === 'string' ? spec.length : 0;
}
