import { randomBytes, randomInt } from 'node:crypto';
import { ChangeSignal } from '@nodewright/async';
import { createEventIds, type EventId } from '../domain/event-id.ts';
import { type EventPosition, EventRing, type StoredEvent } from '../domain/event-ring.ts';
import type { NodeEvent } from '../domain/node-event.ts';

/** The recent events of this node. */
export class EventStore {
  readonly ring = new EventRing<NodeEvent>();
  readonly now: () => number;
  readonly #nextId: () => EventId;
  readonly #published = new ChangeSignal();

  /** @param now Unix ms. */
  constructor(now: () => number) {
    this.now = now;
    this.#nextId = createEventIds({
      now,
      machine: randomBytes(3),
      pid: process.pid,
      firstCounter: randomInt(2 ** 24),
    });
  }

  /** @param actorId the id of the call that caused it. */
  publish(event: NodeEvent, actorId = ''): void {
    this.ring.append({ id: this.#nextId(), actorId, event });
    this.#published.notify();
  }

  /** An id for an event that only one reader receives; greater than those of all events so far. */
  nextId(): EventId {
    return this.#nextId();
  }

  /**
   * The events from `position` on, then new ones, until `signal` aborts; events that happened before the
   * abort are still returned. The iteration ends for a reader whose next event was overwritten.
   */
  async *read(position: EventPosition, signal: AbortSignal): AsyncGenerator<StoredEvent<NodeEvent>> {
    for (let at = position; ; ) {
      const event = this.ring.at(at);
      if (event === 'lost') return;
      if (event !== undefined) {
        at += 1;
        yield event;
      } else if (signal.aborted) return;
      else await this.#published.next(signal);
    }
  }
}
