import type { ResourceEvent } from '../state.ts';

/** A change of a resource, with its bookmark. */
export type StoredEvent = ResourceEvent & { readonly kind: 'created' | 'updated' | 'destroyed' };

/**
 * How many events of a kind are kept for slow readers: a ring of 1024 whose last four places are reserved for
 * the writer. Source: Talos v1.14: COSI watch semantics, slow reader.
 */
export const historyLimit = 1020;

/**
 * How much text of specs is kept for slow readers, in UTF-16 units, because each version of a machine
 * configuration may have 8 MiB. The last `leastHistory` events are always kept, so that a reader that keeps
 * up loses none.
 */
export const historyTextLimit = 4 * 1024 ** 2;
export const leastHistory = 4;

/** The latest events of one kind, numbered 1, 2, 3, ... */
export class EventLog {
  readonly #events: (StoredEvent | undefined)[] = [];
  #total = 0;
  #kept = 0;
  #text = 0;

  /** How many events were appended, which is the number of the last one. */
  get total(): number {
    return this.#total;
  }

  /** The number before the oldest kept event: readers can resume from here. */
  get oldest(): number {
    return this.#total - this.#kept;
  }

  /** Appends an event and returns its number. */
  append(event: StoredEvent): number {
    if (this.#kept === historyLimit) this.#forgetOldest();
    this.#events[this.#total % historyLimit] = event;
    this.#total += 1;
    this.#kept += 1;
    this.#text += textOf(event);
    while (this.#text > historyTextLimit && this.#kept > leastHistory) this.#forgetOldest();
    return this.#total;
  }

  /** The event with this number, which must still be kept. */
  at(number: number): StoredEvent {
    return this.#events[(number - 1) % historyLimit] as StoredEvent;
  }

  #forgetOldest(): void {
    this.#text -= textOf(this.at(this.oldest + 1));
    this.#events[this.oldest % historyLimit] = undefined;
    this.#kept -= 1;
  }
}

/** The length of the text that only this event may keep in memory. */
function textOf(event: StoredEvent): number {
  const { spec } = event.kind === 'updated' ? event.old : event.resource;
  return typeof spec === 'string' ? spec.length : 0;
}
