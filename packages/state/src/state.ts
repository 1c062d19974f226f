import type { IdQuery } from './query/id-query.ts';
import type { LabelQuery } from './query/label-query.ts';
import type { KindRef, NewResource, Phase, Pointer, Resource } from './resource.ts';

export interface WriteOptions {
  /** In whose name; default nobody's (empty). */
  readonly owner?: string;
}

export interface UpdateOptions extends WriteOptions {
  /** The phase that the stored resource must be in; default `running`. */
  readonly expectedPhase?: Phase | 'any';
  /**
   * When the resource that is meant was created: one that was destroyed and made again since begins with version 1
   * again and is another. Only where the store is in this process; the wire has no word for it.
   */
  readonly expectedCreatedMs?: number;
}

export interface QueryOptions {
  /** One of them must match; none given: all match. */
  readonly labelQueries?: readonly LabelQuery[];
  readonly idQuery?: IdQuery;
}

export interface CallOptions {
  /** The call is given up with a Fault `cancelled` when it aborts. A state in memory answers before it could. */
  readonly signal?: AbortSignal;
}

export interface ListOptions extends QueryOptions, CallOptions {}

export interface WatchOptions {
  /** The watch ends when it aborts. */
  readonly signal?: AbortSignal;
  /** Starts with the last events, at most so many. */
  readonly tailEvents?: number;
  /** Resumes after the event that carried it. */
  readonly startFromBookmark?: Uint8Array;
}

export interface WatchKindOptions extends WatchOptions, QueryOptions {
  /** Starts with what is there, as `created` events in the order of ids, and one `bootstrapped`. */
  readonly bootstrapContents?: boolean;
  /** Starts with a `noop` event that carries the bookmark of now. */
  readonly bootstrapBookmark?: boolean;
  /** Several events at a time where there are several; else always one. */
  readonly aggregated?: boolean;
}

/** Where an event comes from. */
interface Origin {
  readonly bookmark?: Uint8Array;
  /** The W3C traceparent of the span in which it was written; only where the store is in this process. */
  readonly traceparent?: string;
}

export type ResourceEvent<S = unknown> =
  | ({ readonly kind: 'created'; readonly resource: Resource<S> } & Origin)
  | ({ readonly kind: 'updated'; readonly resource: Resource<S>; readonly old: Resource<S> } & Origin)
  /** `resource` is what was stored last; for a query, what matched last. */
  | ({ readonly kind: 'destroyed'; readonly resource: Resource<S> } & Origin)
  /** The watch of one id begins and there is no such resource. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'bootstrapped'; readonly bookmark?: Uint8Array }
  | { readonly kind: 'noop'; readonly bookmark?: Uint8Array }
  /** The watch has lost events, or its connection for good: nothing more comes. */
  | { readonly kind: 'errored'; readonly message: string };

/** Events in their order, one or more at a time. It can be iterated once; leaving the loop or disposing it ends it. */
export interface Watch<S = unknown> extends AsyncIterable<readonly ResourceEvent<S>[], void>, Disposable {}

/**
 * Resources, here or behind a connection; both pass `@nodewright/state/conformance`. Source: Talos v1.14: COSI state.
 *
 * Failures are Faults: `not-found`, `already-exists`; `permission-denied` when the owner is another;
 * `invalid-argument` when the phase is not the expected one; `failed-precondition` for every other conflict.
 */
export interface State {
  get<S>(pointer: Pointer<S>, options?: CallOptions): Promise<Resource<S>>;
  /** In the order of ids, by bytes. A kind that nobody has written yet is empty. */
  list<S>(kind: KindRef<S>, options?: ListOptions): Promise<readonly Resource<S>[]>;
  create<S>(resource: NewResource<S>, options?: WriteOptions): Promise<Resource<S>>;
  /** Stores `resource` in the place of the version that it names. A change or not, the version moves. */
  update<S>(resource: Resource<S>, options?: UpdateOptions): Promise<Resource<S>>;
  /** Says that the resource is to go. True when no finalizer holds it (any more). */
  teardown(pointer: Pointer, options?: WriteOptions): Promise<boolean>;
  destroy(pointer: Pointer, options?: WriteOptions): Promise<void>;
  /**
   * Resolves when the watch is in place: what is written from then on is seen. The first event is the resource as it
   * is (`created`), or `absent`, unless the watch starts from earlier events.
   */
  watch<S>(pointer: Pointer<S>, options?: WatchOptions): Promise<Watch<S>>;
  /** As `watch`, for all resources of a kind. @throws Fault `failed-precondition` for a bookmark that is too old */
  watchKind<S>(kind: KindRef<S>, options?: WatchKindOptions): Promise<Watch<S>>;
}
