// The simplest possible model of a store: a map, and a list of all events.
import type { Phase } from '../resource.ts';

export interface ModelResource {
  readonly version: number;
  readonly owner: string;
  readonly phase: Phase;
  readonly finalizers: readonly string[];
  readonly count: number;
}

export type Operation =
  | { readonly kind: 'create'; readonly id: string; readonly owner: string; readonly count: number }
  | {
      readonly kind: 'update';
      readonly id: string;
      readonly owner: string;
      readonly count: number;
      /** The difference between the version named in the operation and the stored version. */
      readonly staleness: number;
      readonly expectedPhase: Phase | 'any';
    }
  | { readonly kind: 'teardown' | 'destroy'; readonly id: string; readonly owner: string }
  | { readonly kind: 'add' | 'remove'; readonly id: string; readonly finalizer: string };

/** The content of a store by id, and its history as short texts. */
export class Model {
  readonly resources = new Map<string, ModelResource>();
  readonly history: string[] = [];

  /** Applies an operation. Returns `ok`, or the kind of the fault. */
  apply(operation: Operation): string {
    const { id } = operation;
    const stored = this.resources.get(id);
    if (operation.kind === 'create') {
      if (stored !== undefined) return 'already-exists';
      const { owner, count } = operation;
      this.resources.set(id, { version: 1, owner, phase: 'running', finalizers: [], count });
      this.history.push(`created ${id}@1`);
      return 'ok';
    }
    if (stored === undefined) return 'not-found';
    switch (operation.kind) {
      case 'update':
        if (stored.owner !== operation.owner) return 'permission-denied';
        if (operation.staleness !== 0) return 'failed-precondition';
        if (operation.expectedPhase !== 'any' && operation.expectedPhase !== stored.phase)
          return 'invalid-argument';
        return this.#change(id, { ...stored, count: operation.count });
      case 'teardown':
        if (stored.phase === 'tearingDown') return 'ok';
        if (stored.owner !== operation.owner) return 'permission-denied';
        return this.#change(id, { ...stored, phase: 'tearingDown' });
      case 'destroy':
        if (stored.owner !== operation.owner) return 'permission-denied';
        if (stored.finalizers.length > 0) return 'failed-precondition';
        this.resources.delete(id);
        this.history.push(`destroyed ${id}@${stored.version}`);
        return 'ok';
      case 'add':
        if (stored.finalizers.includes(operation.finalizer)) return 'ok';
        return this.#change(id, { ...stored, finalizers: [...stored.finalizers, operation.finalizer] });
      case 'remove': {
        const left = stored.finalizers.filter((item) => item !== operation.finalizer);
        return left.length === stored.finalizers.length
          ? 'ok'
          : this.#change(id, { ...stored, finalizers: left });
      }
    }
  }

  #change(id: string, next: ModelResource): string {
    const version = next.version + 1;
    this.resources.set(id, { ...next, version });
    this.history.push(`updated ${id}@${version} was @${next.version}`);
    return 'ok';
  }
}
