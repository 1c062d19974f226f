import { type Role, roles } from '@nodewright/contract';
import { faultFrom } from '@nodewright/fault';
import {
  type KindRef,
  type NewResource,
  namespaces,
  type Pointer,
  pointerTo,
  type QueryOptions,
  type Resource,
  type ResourceEvent,
  resourceDefinitions,
  type State,
  type Watch,
  type WatchKindOptions,
  type WatchOptions,
  type WriteOptions,
} from '@nodewright/state';
import { readerView } from '../domain/reader-view.ts';
import { checkResourceAccess, type ResourceVerb } from '../domain/resource-access.ts';

/** Throws when the caller may not use the target. Without `id` the target is the whole kind. */
export type AccessCheck = (
  verb: ResourceVerb,
  target: KindRef & { readonly id?: string },
) => Promise<void> | void;

/** What the caller sees of a resource that it may read. */
export type ResourceView = <S>(resource: Resource<S>) => Resource<S>;

const wholeView: ResourceView = (resource) => resource;

/** A state that checks every call first, and shows what `view` makes of each resource. */
export function guardedState(state: State, check: AccessCheck, view: ResourceView = wholeView): State {
  return new GuardedState(state, check, view);
}

/**
 * The view of API callers by their roles: only an administrator sees secrets. Each version of a resource is converted once.
 *
 * @returns a function that gets the roles, and what is called whenever a secret is shown that the kind of its resource does not announce
 */
export function apiViews(): (caller: ReadonlySet<Role>, onSecret: () => void) => ResourceView {
  const views = new WeakMap<object, unknown>();
  const readers: ResourceView = (resource) => {
    const { metadata, spec } = resource;
    if (typeof spec !== 'object' || spec === null) return resource;
    if (!views.has(spec)) views.set(spec, readerView(metadata, spec));
    const shown = views.get(spec) as typeof spec;
    return shown === spec ? resource : { ...resource, spec: shown };
  };
  const administrators =
    (onSecret: () => void): ResourceView =>
    (resource) => {
      if (readers(resource) !== resource) onSecret();
      return resource;
    };
  return (caller, onSecret) => (caller.has(roles.admin) ? administrators(onSecret) : readers);
}

/**
 * The access check for API callers with these roles: read only, and restricted to registered kinds.
 *
 * @param onSensitive called before resources of a kind are read that only administrators may read
 */
export function apiAccess(
  state: State,
  caller: ReadonlySet<Role>,
  onSensitive: () => void = () => {},
): AccessCheck {
  return async (verb, { namespace, type }) => {
    const definition = await found(state.get(pointerTo(resourceDefinitions, type.toLowerCase())));
    const known = {
      isRegistered: definition !== undefined,
      isSensitive: definition?.spec.sensitivity === 'sensitive',
      hasNamespace: (await found(state.get(pointerTo(namespaces, namespace)))) !== undefined,
    };
    const fault = checkResourceAccess({ verb, namespace, type }, known, caller);
    if (fault !== undefined) throw fault;
    if (known.isSensitive) onSensitive();
  };
}

class GuardedState implements State {
  readonly #state: State;
  readonly #check: AccessCheck;
  readonly #view: ResourceView;

  constructor(state: State, check: AccessCheck, view: ResourceView) {
    this.#state = state;
    this.#check = check;
    this.#view = view;
  }

  async get<S>(pointer: Pointer<S>): Promise<Resource<S>> {
    await this.#check('get', pointer);
    return this.#view(await this.#state.get(pointer));
  }

  async list<S>(kind: KindRef<S>, options?: QueryOptions): Promise<readonly Resource<S>[]> {
    await this.#check('list', kindOf(kind));
    const all = await this.#state.list(kind, options);
    return this.#view === wholeView ? all : all.map(this.#view);
  }

  async create<S>(resource: NewResource<S>, options?: WriteOptions): Promise<Resource<S>> {
    await this.#check('create', resource);
    return this.#view(await this.#state.create(resource, options));
  }

  async update<S>(resource: Resource<S>, options?: WriteOptions): Promise<Resource<S>> {
    await this.#check('update', resource.metadata);
    return this.#view(await this.#state.update(resource, options));
  }

  /**
   * A teardown of a resource that is already being torn down changes nothing, so it only needs read access.
   */
  async teardown(pointer: Pointer): Promise<boolean> {
    const { metadata } = await this.get(pointer);
    if (metadata.phase !== 'tearingDown') await this.#check('update', pointer);
    return metadata.finalizers.length === 0;
  }

  async destroy(pointer: Pointer, options?: WriteOptions): Promise<void> {
    await this.#check('destroy', pointer);
    return this.#state.destroy(pointer, options);
  }

  async watch<S>(pointer: Pointer<S>, options?: WatchOptions): Promise<Watch<S>> {
    await this.#check('watch', pointer);
    return viewedWatch(await this.#state.watch(pointer, options), this.#view);
  }

  async watchKind<S>(kind: KindRef<S>, options?: WatchKindOptions): Promise<Watch<S>> {
    await this.#check('watch', kindOf(kind));
    return viewedWatch(await this.#state.watchKind(kind, options), this.#view);
  }
}

function viewedWatch<S>(watch: Watch<S>, view: ResourceView): Watch<S> {
  if (view === wholeView) return watch;
  return {
    async *[Symbol.asyncIterator]() {
      for await (const events of watch) yield events.map((event) => viewedEvent(event, view));
    },
    [Symbol.dispose]: () => watch[Symbol.dispose](),
  };
}

function viewedEvent<S>(event: ResourceEvent<S>, view: ResourceView): ResourceEvent<S> {
  if (event.kind === 'updated') return { ...event, resource: view(event.resource), old: view(event.old) };
  return 'resource' in event ? { ...event, resource: view(event.resource) } : event;
}

/** Only the two fields of a kind; the object may have more. */
const kindOf = ({ namespace, type }: KindRef): KindRef => ({ namespace, type });

async function found<T>(resource: Promise<T>): Promise<T | undefined> {
  try {
    return await resource;
  } catch (error) {
    const fault = faultFrom(error);
    if (fault.kind === 'not-found') return undefined;
    throw fault;
  }
}
