import type { KindRef } from '../resource.ts';
import { Collection } from './collection.ts';

/** The collections of a store, by namespace and type. */
export class Collections {
  readonly #byNamespace = new Map<string, Map<string, Collection>>();

  /** `undefined` when the kind was never written or watched. */
  find({ namespace, type }: KindRef): Collection | undefined {
    return this.#byNamespace.get(namespace)?.get(type);
  }

  /** The collection of the kind; created when missing. */
  open({ namespace, type }: KindRef): Collection {
    const ofNamespace = this.#byNamespace.getOrInsertComputed(namespace, () => new Map());
    return ofNamespace.getOrInsertComputed(type, () => new Collection());
  }

  /** Returns the collection for a watch; the caller must call `stopWatch` later. */
  startWatch(kind: KindRef): Collection {
    const collection = this.open(kind);
    collection.watches += 1;
    return collection;
  }

  /**
   * A kind that was never written is dropped with its last watch, because callers can name any number of
   * kinds.
   */
  stopWatch({ namespace, type }: KindRef, collection: Collection): void {
    collection.watches -= 1;
    if (collection.watches > 0 || collection.log.total > 0) return;
    const ofNamespace = this.#byNamespace.get(namespace);
    ofNamespace?.delete(type);
    if (ofNamespace?.size === 0) this.#byNamespace.delete(namespace);
  }

  /** The number of collections. */
  get count(): number {
    return this.#byNamespace.values().reduce((sum, ofNamespace) => sum + ofNamespace.size, 0);
  }
}
