import { sortByBytes } from '../compare-by-bytes.ts';
import type { Metadata, Resource } from '../resource.ts';
import { EventLog, type StoredEvent } from './event-log.ts';

/** A watch that has read all events and waits for the next one. */
export interface Waiter {
  /**
   * Offers an event that may concern the waiter, with the event's number. Returns true when the waiter wakes;
   * it is then no longer waiting.
   */
  offer(event: StoredEvent, number: number): boolean;
}

/**
 * The resources of one kind, their recent events, and the waiting watches. Watches of one id are indexed by
 * that id, so the cost of a write depends only on the watches that it concerns.
 */
export class Collection {
  readonly resources = new Map<string, Resource>();
  readonly log = new EventLog();
  /** How many watches are open, waiting or not. */
  watches = 0;
  readonly #waiting = new Set<Waiter>();
  readonly #waitingForId = new Map<string, Set<Waiter>>();
  #sortedIds: readonly string[] | undefined;
  /** Creation times, by id, of the resources destroyed within the current clock reading. */
  readonly #justDestroyed = new Map<string, number>();
  /** The latest of these creation times. */
  #justDestroyedMs = 0;

  /** All resources in the order of ids. */
  sorted(): Resource[] {
    this.#sortedIds ??= sortByBytes(this.resources.keys());
    return this.#sortedIds.map((id) => this.resources.get(id) as Resource);
  }

  /**
   * The creation time of a new resource. It always differs from that of a destroyed predecessor, even with a
   * coarse clock, so that the two are distinguishable. A microsecond is the smallest step that the wire
   * carries.
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

  /** Records a change and wakes the waiting watches that it concerns. */
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

  /** @param id the only id that concerns the waiter; undefined: all ids */
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
