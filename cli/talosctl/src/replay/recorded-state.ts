import { Fault } from '@nodewright/fault';
import {
  compareByBytes,
  compileQuery,
  type KindRef,
  notFound,
  type Pointer,
  type Resource,
  type ResourceEvent,
  type State,
  type Watch,
  type WatchKindOptions,
  type WatchOptions,
} from '@nodewright/state';

/** Resources as they were when they were recorded: they can be read and watched, and never change. */
export class RecordedState implements State {
  readonly #kinds = new Map<string, Map<string, Resource>>();

  /** Of two resources with the same id the last one counts. */
  constructor(resources: Iterable<Resource>) {
    for (const resource of resources) {
      const key = keyOf(resource.metadata);
      const known = this.#kinds.get(key) ?? new Map<string, Resource>();
      this.#kinds.set(key, known.set(resource.metadata.id, resource));
    }
  }

  async get<S>(pointer: Pointer<S>): Promise<Resource<S>> {
    const found = this.#find(pointer);
    if (found === undefined) throw notFound(pointer);
    return found;
  }

  async list<S>(kind: KindRef<S>, options: Parameters<State['list']>[1] = {}): Promise<Resource<S>[]> {
    const matches = compileQuery(options);
    const all = [...(this.#kinds.get(keyOf(kind))?.values() ?? [])] as Resource<S>[];
    return (matches === undefined ? all : all.filter(matches)).sort((one, other) =>
      compareByBytes(one.metadata.id, other.metadata.id),
    );
  }

  async watch<S>(pointer: Pointer<S>, { signal }: WatchOptions = {}): Promise<Watch<S>> {
    const found = this.#find(pointer);
    return watchOf<S>(
      [found === undefined ? { kind: 'absent' } : { kind: 'created', resource: found }],
      signal,
    );
  }

  async watchKind<S>(kind: KindRef<S>, options: WatchKindOptions = {}): Promise<Watch<S>> {
    if (!options.bootstrapContents) return watchOf<S>([], options.signal);
    const resources = await this.list(kind, options);
    const created = resources.map((resource): ResourceEvent<S> => ({ kind: 'created', resource }));
    return watchOf<S>([...created, { kind: 'bootstrapped' }], options.signal);
  }

  async create(): Promise<never> {
    throw cannotChange();
  }

  async update(): Promise<never> {
    throw cannotChange();
  }

  async teardown(): Promise<never> {
    throw cannotChange();
  }

  async destroy(): Promise<never> {
    throw cannotChange();
  }

  #find<S>(pointer: Pointer<S>): Resource<S> | undefined {
    return this.#kinds.get(keyOf(pointer))?.get(pointer.id) as Resource<S> | undefined;
  }
}

export const cannotChange = () =>
  new Fault('failed-precondition', 'this is an archive: it can be read, and not changed');

const keyOf = ({ namespace, type }: KindRef) => `${namespace} ${type}`;

/** A watch that has only first events, and then waits until it ends. */
function watchOf<S>(events: readonly ResourceEvent<S>[], signal = new AbortController().signal): Watch<S> {
  const ended = Promise.withResolvers<void>();
  const end = () => ended.resolve();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  return {
    async *[Symbol.asyncIterator]() {
      for (const event of events) yield [event];
      await ended.promise;
    },
    [Symbol.dispose]() {
      signal.removeEventListener('abort', end);
      end();
    },
  };
}
