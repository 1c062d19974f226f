/** What a chain can hold. An item is in at most one chain at a time; only chains change these fields. */
export interface Link<T> {
  chain: object | undefined;
  previous: T | undefined;
  next: T | undefined;
}

/**
 * A list of items that are added at its end and removed anywhere. For what is added and removed with each
 * call a Set is slow: it makes a new table every few calls, and since an old table points to the next one, the
 * garbage collector moves all that was ever in them to the old generation.
 */
export class Chain<T extends Link<T>> {
  first: T | undefined;
  #last: T | undefined;

  add(item: T): void {
    item.chain = this;
    const last = this.#last;
    item.previous = last;
    if (last === undefined) this.first = item;
    else last.next = item;
    this.#last = item;
  }

  /** Removes the item. Returns `false` when it was not in this chain. */
  delete(item: T): boolean {
    if (item.chain !== this) return false;
    const { previous, next } = item;
    if (previous === undefined) this.first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    item.chain = undefined;
    item.previous = undefined;
    item.next = undefined;
    return true;
  }

  /** A copy of the items, in order. */
  all(): T[] {
    const items: T[] = [];
    for (let item = this.first; item !== undefined; item = item.next) items.push(item);
    return items;
  }
}
