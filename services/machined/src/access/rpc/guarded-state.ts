import type { Role } from '@nodewright/contract';
import { faultFrom } from '@nodewright/fault';
import {
  type KindRef,
  type NewResource,
  namespaces,
  type Pointer,
  pointerTo,
  type QueryOptions,
  type Resource,
  resourceDefinitions,
  type State,
  type Watch,
  type WatchKindOptions,
  type WatchOptions,
  type WriteOptions,
} from '@nodewright/state';
import { checkResourceAccess, type ResourceVerb } from '../domain/resource-access.ts';

/** Throws when the caller may not use the target. Without `id` the target is the whole kind. */
export type AccessCheck = (
  verb: ResourceVerb,
  target: KindRef & { readonly id?: string },
) => Promise<void> | void;

/** A state that checks every call first. */
export function guardedState(state: State, check: AccessCheck): State {
  return new GuardedState(state, check);
}

/** The access check for API callers with these roles: read only, and restricted to registered kinds. */
export function apiAccess(state: State, caller: ReadonlySet<Role>): AccessCheck {
  return async (verb, { namespace, type }) => {
    const definition = await found(state.get(pointerTo(resourceDefinitions, type.toLowerCase())));
    const known = {
      isRegistered: definition !== undefined,
      isSensitive: definition?.spec.sensitivity === 'sensitive',
      hasNamespace: (await found(state.get(pointerTo(namespaces, namespace)))) !== undefined,
    };
    const fault = checkResourceAccess({ verb, namespace, type }, known, caller);
    if (fault !== undefined) throw fault;
  };
}

class GuardedState implements State {
  readonly #state: State;
  readonly #check: AccessCheck;

  constructor(state: State, check: AccessCheck) {
    this.#state = state;
    this.#check = check;
  }

  async get<S>(pointer: Pointer<S>): Promise<Resource<S>> {
    await this.#check('get', pointer);
    return this.#state.get(pointer);
  }

  async list<S>(kind: KindRef<S>, options?: QueryOptions): Promise<readonly Resource<S>[]> {
    await this.#check('list', kindOf(kind));
    return this.#state.list(kind, options);
  }

  async create<S>(resource: NewResource<S>, options?: WriteOptions): Promise<Resource<S>> {
    await this.#check('create', resource);
    return this.#state.create(resource, options);
  }

  async update<S>(resource: Resource<S>, options?: WriteOptions): Promise<Resource<S>> {
    await this.#check('update', resource.metadata);
    return this.#state.update(resource, options);
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
    return this.#state.watch(pointer, options);
  }

  async watchKind<S>(kind: KindRef<S>, options?: WatchKindOptions): Promise<Watch<S>> {
    await this.#check('watch', kindOf(kind));
    return this.#state.watchKind(kind, options);
  }
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
