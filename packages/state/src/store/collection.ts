import { sortByBytes } from '../compare-by-bytes.ts';
import type { Metadata, Resource } from '../resource.ts';
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
  /** When those were created that have been destroyed in this moment of the clock, by id. */
  readonly #justDestroyed = new Map<string, number>();
  /** The latest of these times. */
  #justDestroyedMs = 0;

  /** All resources in the order of ids. */
  sorted(): Resource[] {
    this.#sortedIds ??= sortByBytes(this.resources.keys());
    return this.#sortedIds.map((id) => this.resources.get(id) as Resource);
  }

  /**
   * The time of creation of a resource that is made now: never that of the one before it, however coarse the clock,
   * so that the two can be told apart. A microsecond is what the wire can carry.
   */
  creationMs(id: string, nowMs: number): number {
    const before = this.#justDestroyed.get(id);
    return before === undefined ? nowMs : Math.max(nowMs, before + 0.001);
  }

  noteDestruction({ id, createdMs }: Metadata, nowMs: number): void {
    if (nowMs > this.#justDestroyedMs) this.#justDestroyed.clear();
    if (createdMs < nowMs) return;
    this.#justDestroyed.set(id, createdMs);
    this.#justDestroyedMs = Math.max(this.#justDestroyedMs, createdMs);
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
