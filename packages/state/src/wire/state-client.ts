import type { Resource as ResourceMessage } from '@nodewright/contract/gen/cosi/resource/resource.ts';
import type { StateDefinition } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { faultFrom } from '@nodewright/fault';
import type { Client } from 'nice-grpc';
import { teardownByUpdate } from '../change/teardown-by-update.ts';
import type { KindRef, NewResource, Pointer, Resource } from '../resource.ts';
import type { SpecCodecs } from '../spec/spec-codec.ts';
import type {
  CallOptions,
  ListOptions,
  State,
  UpdateOptions,
  Watch,
  WatchKindOptions,
  WatchOptions,
  WriteOptions,
} from '../state.ts';
import { ClientWatch, type RetryPolicy } from './client-watch.ts';
import { messagesFromQueries } from './query-messages.ts';
import { messageFromResource, resourceFromMessage } from './resource-message.ts';

export interface StateClientInit {
  readonly client: Client<typeof StateDefinition>;
  /** The types whose specs are decoded; other specs stay encoded (`EncodedSpec`). Default: no types. */
  readonly codecs?: SpecCodecs;
  /** How to resume a watch whose stream broke; by default the watch ends with `errored`. */
  readonly retry?: RetryPolicy;
}

/** The state behind a connection. Calls reject with Faults, like those of every state. */
export function createStateClient({ client, codecs = new Map(), retry }: StateClientInit): State {
  return new StateClient(client, codecs, retry);
}

class StateClient implements State {
  readonly #client: Client<typeof StateDefinition>;
  readonly #codecs: SpecCodecs;
  readonly #retry: RetryPolicy | undefined;
  /** Older servers do not implement this call. */
  #hasTeardown = true;

  constructor(client: Client<typeof StateDefinition>, codecs: SpecCodecs, retry: RetryPolicy | undefined) {
    this.#client = client;
    this.#codecs = codecs;
    this.#retry = retry;
  }

  async get<S>({ namespace, type, id }: Pointer<S>, { signal }: CallOptions = {}): Promise<Resource<S>> {
    return this.#decode(await faulty(this.#client.get({ namespace, type, id }, { signal })));
  }

  async list<S>({ namespace, type }: KindRef<S>, options: ListOptions = {}): Promise<readonly Resource<S>[]> {
    const resources: Resource<S>[] = [];
    try {
      const { signal } = options;
      const request = { namespace, type, options: messagesFromQueries(options) };
      const stream = this.#client.list(request, { signal });
      for await (const response of stream) resources.push(this.#decode(response));
    } catch (error) {
      throw faultFrom(error);
    }
    return resources;
  }

  async create<S>(init: NewResource<S>, { owner = '' }: WriteOptions = {}): Promise<Resource<S>> {
    const { spec, namespace, type, id, finalizers = [], labels = {}, annotations = {} } = init;
    const resource = messageFromResource(
      {
        metadata: {
          ...{ namespace, type, id, finalizers, labels, annotations, owner },
          ...{ version: 0, phase: 'running', createdMs: 0, updatedMs: 0 },
        },
        spec,
      },
      this.#codecs,
    );
    return this.#decode(await faulty(this.#client.create({ resource, options: { owner } })));
  }

  async update<S>(resource: Resource<S>, options: UpdateOptions = {}): Promise<Resource<S>> {
    const { owner = '', expectedPhase = 'running' } = options;
    const request = {
      newResource: messageFromResource(resource, this.#codecs),
      options: { owner, expectedPhase: expectedPhase === 'any' ? undefined : expectedPhase },
    };
    return this.#decode(await faulty(this.#client.update(request)));
  }

  async teardown(pointer: Pointer, { owner = '' }: WriteOptions = {}): Promise<boolean> {
    const { namespace, type, id } = pointer;
    if (this.#hasTeardown) {
      try {
        const { destroyReady } = await this.#client.teardown({ namespace, type, id, options: { owner } });
        return destroyReady;
      } catch (error) {
        const fault = faultFrom(error);
        if (fault.kind !== 'unimplemented') throw fault;
        this.#hasTeardown = false;
      }
    }
    return teardownByUpdate(this, pointer, { owner });
  }

  async destroy({ namespace, type, id }: Pointer, { owner = '' }: WriteOptions = {}): Promise<void> {
    await faulty(this.#client.destroy({ namespace, type, id, options: { owner } }));
  }

  watch<S>(pointer: Pointer<S>, options: WatchOptions = {}): Promise<Watch<S>> {
    return this.#watch({ ...kindOf(pointer), id: pointer.id }, options);
  }

  watchKind<S>(kind: KindRef<S>, options: WatchKindOptions = {}): Promise<Watch<S>> {
    return this.#watch(kindOf(kind), options);
  }

  #watch<S>(target: KindRef & { id?: string }, options: WatchKindOptions): Promise<Watch<S>> {
    const { signal, tailEvents, startFromBookmark, bootstrapContents, bootstrapBookmark, aggregated } =
      options;
    return ClientWatch.open({
      client: this.#client,
      request: {
        ...target,
        apiVersion: 1,
        options: {
          ...messagesFromQueries(options),
          ...{ tailEvents, bootstrapContents, bootstrapBookmark, aggregated },
          startFromBookmark: startFromBookmark && Buffer.from(startFromBookmark),
        },
      },
      codecs: this.#codecs,
      retry: this.#retry,
      signal,
    }) as Promise<Watch<S>>;
  }

  #decode<S>({ resource }: { resource?: ResourceMessage | undefined }): Resource<S> {
    return resourceFromMessage<S>(resource, this.#codecs);
  }
}

const kindOf = ({ namespace, type }: KindRef): KindRef => ({ namespace, type });

async function faulty<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw faultFrom(error);
  }
}
