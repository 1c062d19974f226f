import { Fault } from '@nodewright/fault';
import type {
  KindRef,
  ListOptions,
  MemoryState,
  NewResource,
  Pointer,
  Resource,
  ResourceEvent,
  State,
  UpdateOptions,
  Watch,
  WatchKindOptions,
  WatchOptions,
  WriteOptions,
} from '@nodewright/state';
import type { Chaos } from './chaos.ts';
import type { Scheduler } from './scheduler.ts';

export interface ScheduledStateInit {
  readonly store: MemoryState;
  readonly scheduler: Scheduler;
  /** Makes calls fail. */
  readonly chaos?: Chaos;
  /** Makes watches lose events. */
  readonly losses?: Chaos;
  /** Whether a watch reports lost events, as it must, or hides them, which a simulation has to detect. */
  readonly losesEvents?: 'aloud' | 'silently';
}

/**
 * Simulates a remote store: the scheduler decides when a call takes effect and when its answer arrives, and
 * watches are late. Nothing else is random, because the process has one thread.
 */
export class ScheduledState implements State {
  readonly #init: ScheduledStateInit;
  #openWatches = 0;

  constructor(init: ScheduledStateInit) {
    this.#init = init;
  }

  get openWatches(): number {
    return this.#openWatches;
  }

  get<S>(pointer: Pointer<S>): Promise<Resource<S>> {
    return this.#call('get', pointer, (store) => store.get(pointer));
  }

  list<S>(kind: KindRef<S>, options?: ListOptions): Promise<readonly Resource<S>[]> {
    return this.#call('list', kind, (store) => store.list(kind, options));
  }

  create<S>(resource: NewResource<S>, options?: WriteOptions): Promise<Resource<S>> {
    return this.#call('create', resource, (store) => store.create(resource, options));
  }

  update<S>(resource: Resource<S>, options?: UpdateOptions): Promise<Resource<S>> {
    return this.#call('update', resource.metadata, (store) => store.update(resource, options));
  }

  teardown(pointer: Pointer, options?: WriteOptions): Promise<boolean> {
    return this.#call('teardown', pointer, (store) => store.teardown(pointer, options));
  }

  destroy(pointer: Pointer, options?: WriteOptions): Promise<void> {
    return this.#call('destroy', pointer, (store) => store.destroy(pointer, options));
  }

  async watch<S>(pointer: Pointer<S>, options?: WatchOptions): Promise<Watch<S>> {
    const watch = await this.#call('watch', pointer, (store) => store.watch(pointer, options));
    return this.#follow(pointer, watch, options);
  }

  async watchKind<S>(kind: KindRef<S>, options?: WatchKindOptions): Promise<Watch<S>> {
    const watch = await this.#call('watch', kind, (store) => store.watchKind(kind, options));
    return this.#follow(kind, watch, options);
  }

  async #call<T>(
    verb: string,
    target: KindRef & { readonly id?: string },
    act: (store: MemoryState) => Promise<T>,
  ): Promise<T> {
    const { scheduler, store, chaos } = this.#init;
    const what = `${verb} ${target.type}${target.id === undefined ? '' : `/${target.id}`}`;
    await scheduler.turn(what);
    if (chaos?.strikes(60)) throw new Fault('unavailable', `simulated: ${what} did not arrive`);
    const done = await act(store).then(
      (value) => ({ value }),
      (error) => ({ error }),
    );
    await scheduler.turn(`${what} answered`);
    if ('error' in done) throw done.error;
    if (verb !== 'watch' && chaos?.strikes(60))
      throw new Fault('unavailable', `simulated: the answer to ${what} is lost`);
    return done.value;
  }

  #follow<S>(kind: KindRef, inner: Watch<S>, { signal }: WatchOptions = {}): Watch<S> {
    const { scheduler, losses, losesEvents = 'aloud' } = this.#init;
    this.#openWatches += 1;
    const closed = Promise.withResolvers<void>();
    const close = () => closed.resolve();
    signal?.addEventListener('abort', close);
    if (signal?.aborted) close();
    void closed.promise.then(() => {
      this.#openWatches -= 1;
    });
    return {
      async *[Symbol.asyncIterator](): AsyncGenerator<readonly ResourceEvent<S>[], void> {
        try {
          for await (const events of inner) {
            await scheduler.turn(`events of ${kind.type}`);
            const isLost =
              events.some((event) => 'resource' in event) &&
              losses?.strikes(losesEvents === 'aloud' ? 12 : 3);
            if (!isLost) yield events;
            else if (losesEvents === 'aloud') {
              yield [{ kind: 'errored', message: 'simulated: events were lost' }];
              await closed.promise;
              return;
            }
          }
        } finally {
          close();
        }
      },
      [Symbol.dispose]() {
        inner[Symbol.dispose]();
        close();
      },
    };
  }
}
