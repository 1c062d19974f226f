import { Fault } from '@nodewright/fault';
import {
  alreadyExists,
  invalidBookmark,
  notFound,
  ownerConflict,
  pendingFinalizers,
  phaseConflict,
  remadeConflict,
  revivalConflict,
  versionConflict,
} from '../faults.ts';
import { compileQuery } from '../query/compile-query.ts';
import { QueryWork } from '../query/query-work.ts';
import type { KindRef, Metadata, NewResource, Pointer, Resource } from '../resource.ts';
import type {
  QueryOptions,
  ResourceEvent,
  State,
  UpdateOptions,
  Watch,
  WatchKindOptions,
  WatchOptions,
  WriteOptions,
} from '../state.ts';
import { Bookmarks } from './bookmark.ts';
import { Collection } from './collection.ts';
import { Collections } from './collections.ts';
import { deepFreeze } from './deep-freeze.ts';
import type { StoredEvent } from './event-log.ts';
import { StoreWatch } from './store-watch.ts';
import { viewOfQuery } from './view-of-query.ts';

export interface MemoryStateInit {
  /** Unix ms. */
  readonly now: () => number;
  /** 8 bytes, unique to this run: a bookmark of another run is invalid. */
  readonly cookie: Uint8Array;
  /** The W3C traceparent of the active span, which the events of a write carry. */
  readonly traceparent?: () => string | undefined;
}

/**
 * Resources in memory. Every call does its work before it returns its promise, so each call is atomic for all
 * watches. Stored values are frozen: a writer stores a new value instead of changing one.
 */
export class MemoryState implements State {
  readonly #now: () => number;
  readonly #traceparent: () => string | undefined;
  readonly #bookmarks: Bookmarks;
  readonly #collections = new Collections();

  constructor({ now, cookie, traceparent = () => undefined }: MemoryStateInit) {
    this.#now = now;
    this.#traceparent = traceparent;
    this.#bookmarks = new Bookmarks(cookie);
  }

  async get<S>(pointer: Pointer<S>): Promise<Resource<S>> {
    return this.#stored(pointer);
  }

  async list<S>(kind: KindRef<S>, options: QueryOptions = {}): Promise<readonly Resource<S>[]> {
    const matches = compileQuery(options);
    const all = (this.#collections.find(kind)?.sorted() ?? []) as Resource<S>[];
    return matches === undefined ? all : all.filter(matches);
  }

  async create<S>(init: NewResource<S>, { owner = '' }: WriteOptions = {}): Promise<Resource<S>> {
    const { namespace, type, id, spec, finalizers = [], labels = {}, annotations = {} } = init;
    const stored = this.#collections.find(init)?.resources.get(id);
    if (stored !== undefined) throw alreadyExists(stored.metadata);
    const nowMs = this.#collections.open(init).creationMs(id, this.#now());
    const metadata: Metadata = {
      namespace,
      type,
      id,
      version: 1,
      owner,
      phase: 'running',
      finalizers: [...new Set(finalizers)],
      labels: { ...labels },
      annotations: { ...annotations },
      createdMs: nowMs,
      updatedMs: nowMs,
    };
    return this.#publish('created', { metadata, spec });
  }

  async update<S>(changed: Resource<S>, options: UpdateOptions = {}): Promise<Resource<S>> {
    const { owner = '', expectedPhase = 'running', expectedCreatedMs } = options;
    const { finalizers, labels, annotations, phase, version } = changed.metadata;
    const { metadata } = this.#stored(changed.metadata);
    if (metadata.owner !== owner) throw ownerConflict(metadata, owner);
    if (metadata.version !== version) throw versionConflict(metadata, version);
    if (expectedCreatedMs !== undefined && metadata.createdMs !== expectedCreatedMs)
      throw remadeConflict(metadata);
    if (expectedPhase !== 'any' && metadata.phase !== expectedPhase)
      throw phaseConflict(metadata, expectedPhase);
    if (metadata.phase === 'tearingDown' && phase === 'running') throw revivalConflict(metadata);
    const next = {
      ...metadata,
      phase,
      finalizers: [...new Set(finalizers)],
      labels: { ...labels },
      annotations: { ...annotations },
    };
    return this.#replace(next, changed.spec);
  }

  async teardown(pointer: Pointer, { owner = '' }: WriteOptions = {}): Promise<boolean> {
    const { metadata, spec } = this.#stored(pointer);
    if (metadata.phase !== 'tearingDown') {
      if (metadata.owner !== owner) throw ownerConflict(metadata, owner);
      this.#replace({ ...metadata, phase: 'tearingDown' }, spec);
    }
    return metadata.finalizers.length === 0;
  }

  async destroy(pointer: Pointer, { owner = '' }: WriteOptions = {}): Promise<void> {
    const stored = this.#stored(pointer);
    if (stored.metadata.owner !== owner) throw ownerConflict(stored.metadata, owner);
    if (stored.metadata.finalizers.length > 0) throw pendingFinalizers(stored.metadata);
    this.#collections.open(pointer).noteDestruction(stored.metadata, this.#now());
    this.#publish('destroyed', stored);
  }

  async watch<S>(pointer: Pointer<S>, options: WatchOptions = {}): Promise<Watch<S>> {
    const { id } = pointer;
    const collection = this.#collections.find(pointer) ?? new Collection();
    const ofId = (event: StoredEvent) => (event.resource.metadata.id === id ? event : undefined);
    const start = this.#start(collection, options, ofId);
    const resource = collection.resources.get(id);
    const now: ResourceEvent = resource === undefined ? { kind: 'absent' } : { kind: 'created', resource };
    const { signal } = options;
    return new StoreWatch({
      kind: pointer,
      collections: this.#collections,
      id,
      initial: start === undefined ? [now] : [],
      after: start ?? collection.log.total,
      isAggregated: false,
      view: ofId,
      signal,
    }) as Watch<S>;
  }

  async watchKind<S>(kind: KindRef<S>, options: WatchKindOptions = {}): Promise<Watch<S>> {
    const { bootstrapContents = false, bootstrapBookmark = false, aggregated = false, signal } = options;
    const work = new QueryWork();
    const matches = compileQuery(options, work);
    const collection = this.#collections.find(kind) ?? new Collection();
    const start = this.#start(collection, options);
    if (start !== undefined && (bootstrapContents || bootstrapBookmark)) {
      throw new Fault('unknown', 'a watch starts from its contents or from earlier events, not from both');
    }
    const bookmark = this.#bookmarks.at(collection.log.total);
    const initial: ResourceEvent[] = [];
    if (bootstrapContents) {
      for (const resource of collection.sorted()) {
        if (matches === undefined || matches(resource)) initial.push({ kind: 'created', resource });
      }
      initial.push({ kind: 'bootstrapped', bookmark });
    } else if (bootstrapBookmark) initial.push({ kind: 'noop', bookmark });
    return new StoreWatch({
      kind,
      collections: this.#collections,
      id: undefined,
      initial,
      after: start ?? collection.log.total,
      isAggregated: aggregated,
      view: matches === undefined ? (event) => event : viewOfQuery(matches),
      work,
      signal,
    }) as Watch<S>;
  }

  /** The number of the event after which the watch starts, when the options name one. */
  #start(
    { log }: Collection,
    { startFromBookmark, tailEvents = 0 }: WatchOptions,
    isWanted: (event: StoredEvent) => unknown = () => true,
  ): number | undefined {
    if (startFromBookmark !== undefined) {
      if (tailEvents > 0)
        throw new Fault('unknown', 'a watch starts from a bookmark or from the last events, not from both');
      const number = this.#bookmarks.numberOf(startFromBookmark);
      if (number < log.oldest || number > log.total) throw invalidBookmark();
      return number;
    }
    if (tailEvents <= 0) return undefined;
    let start = log.total;
    for (let found = 0; start > log.oldest && found < tailEvents; start -= 1) {
      if (isWanted(log.at(start))) found += 1;
    }
    return start;
  }

  #stored<S>(pointer: Pointer<S>): Resource<S> {
    const resource = this.#collections.find(pointer)?.resources.get(pointer.id);
    if (resource === undefined) throw notFound(pointer);
    return resource as Resource<S>;
  }

  /** Replaces the stored resource with its next version. */
  #replace<S>(metadata: Metadata, spec: S): Resource<S> {
    return this.#publish('updated', {
      metadata: { ...metadata, version: metadata.version + 1, updatedMs: this.#now() },
      spec,
    });
  }

  #publish<S>(kind: StoredEvent['kind'], resource: Resource<S>): Resource<S> {
    deepFreeze(resource);
    const collection = this.#collections.open(resource.metadata);
    const bookmark = this.#bookmarks.at(collection.log.total + 1);
    const old = collection.resources.get(resource.metadata.id) as Resource;
    const traceparent = this.#traceparent();
    const origin = traceparent === undefined ? { bookmark } : { bookmark, traceparent };
    collection.publish(
      kind === 'updated' ? { kind, resource, old, ...origin } : { kind, resource, ...origin },
    );
    return resource;
  }
}
