import type { EventId } from './event-id.ts';

/** An event with its id. */
export interface StoredEvent<Event> {
  readonly id: EventId;
  /** The id of the call that caused it; empty without one. */
  readonly actorId: string;
  readonly event: Event;
}

/** The position of a reader: the number of earlier events. */
export type EventPosition = number;

/** Source: Talos v1.14: events, buffer. */
export const eventCapacity = 1000;
/** A reader never starts at the oldest few events, which are about to be overwritten. */
export const eventGap = 10;

/** The last events of a node. */
export class EventRing<Event> {
  readonly #events: StoredEvent<Event>[] = [];
  #count = 0;

  /** The position of the next event. */
  get end(): EventPosition {
    return this.#count;
  }

  /** The earliest position at which a reader may start. */
  get start(): EventPosition {
    return Math.max(0, this.#count - (eventCapacity - eventGap));
  }

  append(event: StoredEvent<Event>): void {
    this.#events[this.#count % eventCapacity] = event;
    this.#count += 1;
  }

  /** The event at a position; `lost` when it was overwritten, undefined when it has not happened yet. */
  at(position: EventPosition): StoredEvent<Event> | 'lost' | undefined {
    if (position >= this.#count) return undefined;
    if (this.#count - position >= eventCapacity) return 'lost';
    return this.#events[position % eventCapacity];
  }

  /** The first position from `start` on whose event `isLater`; events are sorted by that property. */
  firstWhere(isLater: (event: StoredEvent<Event>) => boolean): EventPosition {
    let [low, high] = [this.start, this.#count];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const event = this.at(middle);
      if (event !== undefined && event !== 'lost' && isLater(event)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
