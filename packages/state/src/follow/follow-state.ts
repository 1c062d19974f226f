// Daemons other than machined read resources this way: they keep only the resources that they follow, not a
// copy of the store.
import { LongPromise, pause } from '@nodewright/async';
import { type Fault, faultFrom } from '@nodewright/fault';
import type { ResourceKind } from '../meta/define-kind.ts';
import { type FollowedKind, followResources, type StateWatcher } from './follow-resources.ts';

/** Resources to follow, and the function that turns their specs into a view. */
export interface Followed<S, V> {
  readonly kind: FollowedKind<S>;
  view(specs: ReadonlyMap<string, S>): V;
}

/** Follows one resource. Its spec in the view is undefined when the resource does not exist. */
export function one<S>({ namespace, type, codec }: ResourceKind<S>, id: string): Followed<S, S | undefined> {
  return { kind: { namespace, type, codec, id }, view: (specs) => specs.get(id) };
}

/** Follows all resources of a kind, in the order of their ids. */
export function all<S>({ namespace, type, codec }: ResourceKind<S>): Followed<S, readonly S[]> {
  return {
    kind: { namespace, type, codec },
    view: (specs) => [...specs].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, spec]) => spec),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a record cannot say that each entry has types of its own
type FollowedSet = Readonly<Record<string, Followed<any, any>>>;

/** The views, under the same names as in the followed set. */
export type StateView<F extends FollowedSet> = {
  readonly [Name in keyof F]: F[Name] extends Followed<infer _S, infer V> ? V : never;
};

export interface KnownState<F extends FollowedSet> {
  readonly view: StateView<F>;
  /** The number of the connection, from 1. After a reconnect the server may hold a different state. */
  readonly connection: number;
}

/** A client for watches. Disposing it closes its connection. */
export interface StateConnection extends Disposable {
  readonly client: StateWatcher;
}

export interface FollowStateInit<F extends FollowedSet> {
  readonly followed: F;
  /** Opens a connection; rejects when that fails. */
  readonly connect: (signal: AbortSignal) => Promise<StateConnection>;
  readonly signal: AbortSignal;
  /** Called for each connection that failed or broke. The next attempt follows after `retryMs`. */
  readonly onBroken: (fault: Fault, retryMs: number) => void;
}

const firstRetryMs = 50;
const longestRetryMs = 1000;

/**
 * Yields views of a state behind a connection: first when all of them are complete, then after changes.
 * Several changes may be combined into one view. A broken connection is opened again; the last view stays
 * valid until the new connection has everything. `undefined` is yielded at most once, as the first value,
 * when the first attempt fails. Ends when the signal aborts.
 */
export async function* followState<F extends FollowedSet>(
  init: FollowStateInit<F>,
): AsyncGenerator<KnownState<F> | undefined, void> {
  const { signal } = init;
  let isFirst = true;
  let retryMs = firstRetryMs;
  for (let connection = 1; !signal.aborted; connection += 1) {
    const session = new Session(init);
    try {
      for await (const view of session) {
        isFirst = false;
        retryMs = firstRetryMs;
        yield { view, connection };
      }
    } catch (error) {
      if (signal.aborted) return;
      init.onBroken(faultFrom(error), retryMs);
      if (isFirst) yield undefined;
      isFirst = false;
      await pause(retryMs, signal);
      retryMs = Math.min(retryMs * 2, longestRetryMs);
    }
  }
}

/** One connection, from its opening until it breaks. */
class Session<F extends FollowedSet> {
  readonly #init: FollowStateInit<F>;
  readonly #views = new Map<string, unknown>();
  #changed = Promise.withResolvers<void>();

  constructor(init: FollowStateInit<F>) {
    this.#init = init;
  }

  /** @throws Fault when any of the watches fails */
  async *[Symbol.asyncIterator](): AsyncGenerator<StateView<F>, void> {
    const { connect, followed, signal: outer } = this.#init;
    const stop = new AbortController();
    const signal = AbortSignal.any([outer, stop.signal]);
    using connection = await connect(signal);
    const names = Object.keys(followed);
    const watches = names.map((name) => this.#follow(name, connection, signal));
    // All watches are awaited together, so no failure is lost, and the first failure ends the session.
    const broken = new LongPromise(Promise.all(watches));
    try {
      while (!signal.aborted) {
        await broken.or(this.#changed.promise);
        this.#changed = Promise.withResolvers();
        if (signal.aborted || this.#views.size < names.length) continue;
        yield Object.fromEntries(this.#views) as StateView<F>;
      }
    } finally {
      stop.abort();
      await Promise.allSettled(watches);
    }
  }

  #follow(name: string, { client }: StateConnection, signal: AbortSignal): Promise<void> {
    const { kind, view } = this.#init.followed[name] as Followed<unknown, unknown>;
    const onSpecs = (specs: ReadonlyMap<string, unknown>) => {
      this.#views.set(name, view(specs));
      this.#changed.resolve();
    };
    return followResources({ client, kind, signal, onSpecs });
  }
}
