import { compareByBytes } from '../compare-by-bytes.ts';
import type { Resource } from '../resource.ts';
import { EventLog, type StoredEvent } from './event-log.ts';

/** Somebody who has read everything there is and waits for more. */
export interface Waiter {
  /** Told of an event that may concern it, and of the event's number. True: it wakes, and waits no longer. */
  offer(event: StoredEvent, number: number): boolean;
}

/**
 * The resources of one kind, what happened to them lately, and who waits for more. Those who wait for one id are found
 * by it, so that a write costs only as much as it has readers.
 */
export class Collection {
  readonly resources = new Map<string, Resource>();
  readonly log = new EventLog();
  /** How many there are that are open, whether they wait or not. */
  watches = 0;
  readonly #waiting = new Set<Waiter>();
  readonly #waitingForId = new Map<string, Set<Waiter>>();
  #sortedIds: readonly string[] | undefined;

  /** All resources in the order of ids. */
  sorted(): Resource[] {
    this.#sortedIds ??= [...this.resources.keys()].sort(compareByBytes);
    return this.#sortedIds.map((id) => this.resources.get(id) as Resource);
  }

  /** Records what has just been done and tells those who wait. */
  publish(event: StoredEvent): void {
    const { resource } = event;
    const { id } = resource.metadata;
    if (event.kind === 'destroyed') this.resources.delete(id);
    else this.resources.set(id, resource);
    if (event.kind !== 'updated') this.#sortedIds = undefined;
    const number = this.log.append(event);
    offer(this.#waiting, event, number);
    const forId = this.#waitingForId.get(id);
    if (forId === undefined) return;
    offer(forId, event, number);
    if (forId.size === 0) this.#waitingForId.delete(id);
  }

  /** @param id the only one that concerns the waiter; undefined: all of them. */
  wait(waiter: Waiter, id: string | undefined): void {
    if (id === undefined) this.#waiting.add(waiter);
    else if (this.#waitingForId.get(id)?.add(waiter) === undefined)
      this.#waitingForId.set(id, new Set([waiter]));
  }

  stopWaiting(waiter: Waiter, id: string | undefined): void {
    if (id === undefined) this.#waiting.delete(waiter);
    else {
      const forId = this.#waitingForId.get(id);
      forId?.delete(waiter);
      if (forId?.size === 0) this.#waitingForId.delete(id);
    }
  }
}

function offer(waiters: Set<Waiter>, event: StoredEvent, number: number): void {
  for (const waiter of waiters) if (waiter.offer(event, number)) waiters.delete(waiter);
}
