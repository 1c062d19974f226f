import type { IdQuery } from './query/id-query.ts';
import type { LabelQuery } from './query/label-query.ts';
import type { KindRef, NewResource, Phase, Pointer, Resource } from './resource.ts';

export interface WriteOptions {
  /** The owner that writes; default: empty, without an owner. */
  readonly owner?: string;
}

export interface UpdateOptions extends WriteOptions {
  /** The phase that the stored resource must be in; default `running`. */
  readonly expectedPhase?: Phase | 'any';
  /**
   * The creation time of the resource that the caller read. A resource that was destroyed and re-created
   * starts at version 1 again, so the version cannot tell the two apart. Only for a store in this process;
   * the wire has no field for it.
   */
  readonly expectedCreatedMs?: number;
}

export interface QueryOptions {
  /** At least one query must match; without queries every resource matches. */
  readonly labelQueries?: readonly LabelQuery[];
  readonly idQuery?: IdQuery;
}

export interface CallOptions {
  /** Aborts the call with a Fault `cancelled`. A state in memory responds before the signal can abort. */
  readonly signal?: AbortSignal;
}

export interface ListOptions extends QueryOptions, CallOptions {}

export interface WatchOptions {
  /** The watch ends when the signal aborts. */
  readonly signal?: AbortSignal;
  /** Starts with the last events, at most this many. */
  readonly tailEvents?: number;
  /** Resumes after the event that carried this bookmark. */
  readonly startFromBookmark?: Uint8Array;
}

export interface WatchKindOptions extends WatchOptions, QueryOptions {
  /** Starts with the current resources as `created` events in the order of ids, then one `bootstrapped`. */
  readonly bootstrapContents?: boolean;
  /** Starts with a `noop` event that carries the current bookmark. */
  readonly bootstrapBookmark?: boolean;
  /** Batches events when several are ready; otherwise each batch has one event. */
  readonly aggregated?: boolean;
}

/** The position and the trace of an event. */
interface Origin {
  readonly bookmark?: Uint8Array;
  /** The W3C traceparent of the span in which the change was written. Only for a store in this process. */
  readonly traceparent?: string;
}

export type ResourceEvent<S = unknown> =
  | ({ readonly kind: 'created'; readonly resource: Resource<S> } & Origin)
  | ({ readonly kind: 'updated'; readonly resource: Resource<S>; readonly old: Resource<S> } & Origin)
  /** `resource` is the last stored version; in a watch with a query, the last version that matched. */
  | ({ readonly kind: 'destroyed'; readonly resource: Resource<S> } & Origin)
  /** First event of a watch of one id, when the resource does not exist. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'bootstrapped'; readonly bookmark?: Uint8Array }
  | { readonly kind: 'noop'; readonly bookmark?: Uint8Array }
  /** The watch lost events or its connection. No more events follow. */
  | { readonly kind: 'errored'; readonly message: string };

/**
 * Batches of one or more events, in order. It can be iterated once; leaving the loop or disposing the watch
 * ends it.
 */
export interface Watch<S = unknown> extends AsyncIterable<readonly ResourceEvent<S>[], void>, Disposable {}

/**
 * Resources in this process or behind a connection; both pass `@nodewright/state/conformance`. Source: Talos
 * v1.14: COSI state.
 *
 * Failures are Faults: `not-found`, `already-exists`; `permission-denied` when the owner differs;
 * `invalid-argument` when the phase is not the expected one; `failed-precondition` for every other conflict.
 */
export interface State {
  get<S>(pointer: Pointer<S>, options?: CallOptions): Promise<Resource<S>>;
  /** Sorted by the bytes of ids. The list of a kind without resources is empty. */
  list<S>(kind: KindRef<S>, options?: ListOptions): Promise<readonly Resource<S>[]>;
  create<S>(resource: NewResource<S>, options?: WriteOptions): Promise<Resource<S>>;
  /**
   * Replaces the stored version, which must be the version in `resource`. The version is incremented even
   * when nothing changes.
   */
  update<S>(resource: Resource<S>, options?: UpdateOptions): Promise<Resource<S>>;
  /** Sets the phase to `tearingDown`. Resolves to true when the resource has no finalizers. */
  teardown(pointer: Pointer, options?: WriteOptions): Promise<boolean>;
  destroy(pointer: Pointer, options?: WriteOptions): Promise<void>;
  /**
   * Resolves when the watch is in place: it reports every later write. The first event is the current
   * resource (`created`), or `absent`, unless the watch starts from earlier events.
   */
  watch<S>(pointer: Pointer<S>, options?: WatchOptions): Promise<Watch<S>>;
  /**
   * Like `watch`, for all resources of a kind. @throws Fault `failed-precondition` for a bookmark that is too
   * old
   */
  watchKind<S>(kind: KindRef<S>, options?: WatchKindOptions): Promise<Watch<S>>;
}
