import type { StateDefinition } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { Fault } from '@nodewright/fault';
import {
  codecsOf,
  EncodedSpec,
  type KindRef,
  pointerTo,
  type Resource,
  type ResourceDefinitionSpec,
  type ResourceEvent,
  type ResourceKind,
  resourceDefinitions,
  type SpecCodec,
  type State,
  type Watch,
} from '@nodewright/state';
import { createStateClient } from '@nodewright/state/wire';
import type { Client } from 'nice-grpc';
import { CallFault, callFaultFrom } from '../call-fault.ts';
import { findKind } from './find-kind.ts';
import { parseYamlValue, type YamlValue } from './yaml-value.ts';

/**
 * A kind from `@nodewright/client/kinds`, which has typed specs, or the name of any kind that the node has,
 * such as `members` or `Members.cluster.talos.dev`. The specs of a named kind are untyped YAML values.
 */
// biome-ignore lint/suspicious/noExplicitAny: the kind says what its specs are
export type KindOrName = ResourceKind<any> | string;

/** The type of the specs of a kind. */
export type SpecFor<K extends KindOrName> = K extends ResourceKind<infer S> ? S : YamlValue;

/** One event of a watch. */
export type ResourceChange<S> =
  | { readonly kind: 'created' | 'destroyed'; readonly resource: Resource<S> }
  | { readonly kind: 'updated'; readonly resource: Resource<S>; readonly old: Resource<S> }
  /** All resources that existed at the start of the watch have been sent; later events are changes. */
  | { readonly kind: 'bootstrapped' }
  /** The watch of a single id began, and this resource did not exist. */
  | { readonly kind: 'absent' };

export interface ResourceOptions {
  /** Overrides the namespace of the kind. */
  readonly namespace?: string | undefined;
  /** When aborted, a call rejects with a CallFault `cancelled`, and a watch ends. */
  readonly signal?: AbortSignal | undefined;
}

export interface ResourceWatchOptions extends ResourceOptions {
  /** Limits the watch to the resource with this id. */
  readonly id?: string | undefined;
}

interface FoundKind {
  readonly ref: KindRef;
  readonly state: State;
}

/** Reads and watches the resources of one node. All failures are CallFaults. */
export class Resources {
  readonly #node: string;
  readonly #client: Client<typeof StateDefinition>;
  #definitions: readonly Resource<ResourceDefinitionSpec>[] | undefined;

  constructor(node: string, client: Client<typeof StateDefinition>) {
    this.#node = node;
    this.#client = client;
  }

  /** Returns the resource with an id. @throws CallFault `not-found` */
  get<K extends KindOrName>(
    kind: K,
    id: string,
    options: ResourceOptions = {},
  ): Promise<Resource<SpecFor<K>>> {
    return this.#named(async () => {
      const { ref, state } = await this.#find(kind, options);
      return readable<SpecFor<K>>(await state.get(pointerTo(ref, id), { ...options }));
    });
  }

  /** Returns all resources of a kind, sorted by id. */
  list<K extends KindOrName>(
    kind: K,
    options: ResourceOptions = {},
  ): Promise<readonly Resource<SpecFor<K>>[]> {
    return this.#named(async () => {
      const { ref, state } = await this.#find(kind, options);
      const listed = await state.list(ref, { ...options });
      return listed.map(readable<SpecFor<K>>);
    });
  }

  /**
   * Watches a kind, or with `id` a single resource. A watch of a kind yields the existing resources as
   * `created`, then `bootstrapped`, then every change. A watch of one id yields the resource or `absent`,
   * then every change. The watch ends when the loop is left or the signal aborts. It throws a CallFault when
   * the connection breaks.
   */
  async *watch<K extends KindOrName>(
    kind: K,
    options: ResourceWatchOptions = {},
  ): AsyncGenerator<ResourceChange<SpecFor<K>>, void, undefined> {
    using watch = await this.#named(() => this.#open(kind, options));
    for await (const events of watch) {
      for (const event of events) {
        const change = this.#changeFrom<SpecFor<K>>(event);
        if (change !== undefined) yield change;
      }
    }
  }

  async #open(kind: KindOrName, options: ResourceWatchOptions): Promise<Watch> {
    const { id, signal } = options;
    const { ref, state } = await this.#find(kind, options);
    if (id !== undefined) return state.watch(pointerTo(ref, id), { signal });
    return state.watchKind(ref, { bootstrapContents: true, signal });
  }

  #changeFrom<S>(event: ResourceEvent): ResourceChange<S> | undefined {
    switch (event.kind) {
      case 'created':
      case 'destroyed':
        return { kind: event.kind, resource: readable<S>(event.resource) };
      case 'updated':
        return { kind: event.kind, resource: readable<S>(event.resource), old: readable<S>(event.old) };
      case 'bootstrapped':
      case 'absent':
        return { kind: event.kind };
      case 'noop':
        return undefined;
      case 'errored':
        throw new CallFault('unavailable', `the watch failed: ${event.message}`, { node: this.#node });
    }
  }

  async #find(kind: KindOrName, { namespace, signal }: ResourceOptions): Promise<FoundKind> {
    if (typeof kind === 'string')
      return {
        ref: withNamespace(await this.#byName(kind, signal), namespace),
        state: this.#state(new Map()),
      };
    return { ref: withNamespace(kind, namespace), state: this.#state(new Map([[kind.type, kind.codec]])) };
  }

  /** Finds a kind by name. The definitions are cached, and read again for a name that the cache lacks. */
  async #byName(name: string, signal: AbortSignal | undefined): Promise<KindRef> {
    const known = this.#definitions === undefined ? undefined : findKind(this.#definitions, name);
    if (known !== undefined) return known;
    this.#definitions = await this.#state(codecsOf([])).list(resourceDefinitions, { signal });
    const found = findKind(this.#definitions, name);
    if (found !== undefined) return found;
    throw new Fault('not-found', `the node has no kind of resources named ${JSON.stringify(name)}`);
  }

  // biome-ignore lint/suspicious/noExplicitAny: as in the codecs of a state
  #state(codecs: { get(type: string): SpecCodec<any> | undefined }): State {
    return createStateClient({ client: this.#client, codecs });
  }

  async #named<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw callFaultFrom(error, this.#node);
    }
  }
}

const withNamespace = ({ namespace, type }: KindRef, other: string | undefined): KindRef => ({
  namespace: other ?? namespace,
  type,
});

/** Decodes the spec of a resource. @throws Fault `invalid-argument` for a spec that is not valid YAML */
function readable<S>({ metadata, spec }: Resource): Resource<S> {
  if (!(spec instanceof EncodedSpec)) return { metadata, spec: spec as S };
  try {
    return { metadata, spec: parseYamlValue(spec.yaml) as S };
  } catch (error) {
    const { type, id } = metadata;
    const message = `the spec of ${type} "${id}" is not valid YAML: ${(error as Error).message}`;
    throw new Fault('invalid-argument', message, { cause: error });
  }
}
