// How the daemons beside machined learn what they need: they hold no copy of the store, only what they follow.
import { pause } from '@nodewright/async';
import { type Fault, faultFrom } from '@nodewright/fault';
import type { ResourceKind } from '../meta/define-kind.ts';
import { type FollowedKind, followResources, type StateWatcher } from './follow-resources.ts';

/** Resources to follow, and how a view shows their specs. */
export interface Followed<S, V> {
  readonly kind: FollowedKind<S>;
  view(specs: ReadonlyMap<string, S>): V;
}

/** One resource; its spec in a view is undefined while there is none. */
export function one<S>({ namespace, type, codec }: ResourceKind<S>, id: string): Followed<S, S | undefined> {
  return { kind: { namespace, type, codec, id }, view: (specs) => specs.get(id) };
}

/** All resources of a kind, in the order of their ids. */
export function all<S>({ namespace, type, codec }: ResourceKind<S>): Followed<S, readonly S[]> {
  return {
    kind: { namespace, type, codec },
    view: (specs) => [...specs].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, spec]) => spec),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a record cannot say that each entry has types of its own
type FollowedSet = Readonly<Record<string, Followed<any, any>>>;

/** What is known, under the names that were given to what is followed. */
export type StateView<F extends FollowedSet> = {
  readonly [Name in keyof F]: F[Name] extends Followed<infer _S, infer V> ? V : never;
};

export interface KnownState<F extends FollowedSet> {
  readonly view: StateView<F>;
  /** Counts the connections that were made: another number, and the state may be another one. */
  readonly connection: number;
}

/** Watches, and the connection that they have for themselves. */
export interface StateConnection extends Disposable {
  readonly client: StateWatcher;
}

export interface FollowStateInit<F extends FollowedSet> {
  readonly followed: F;
  /** Opens a connection; it may fail. */
  readonly connect: (signal: AbortSignal) => Promise<StateConnection>;
  readonly signal: AbortSignal;
  /** Told of each connection that failed or broke; the next is tried after `retryMs`. */
  readonly onBroken: (fault: Fault, retryMs: number) => void;
}

const firstRetryMs = 50;
const longestRetryMs = 1000;

/**
 * What is known of a state behind a connection: as soon as everything is, and after every change, of which several may
 * come as one. A connection that breaks is made again, and what was known then stays until the new one knows everything.
 * Undefined comes at most once, as the first value: the state was not reachable at the first attempt. Ends when the
 * signal aborts.
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
  #news = Promise.withResolvers<void>();

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
    // None fails unseen: all are awaited together, and the one that fails first ends the session.
    const broken = Promise.all(watches);
    broken.catch(() => {});
    try {
      while (!signal.aborted) {
        await Promise.race([this.#news.promise, broken]);
        this.#news = Promise.withResolvers();
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
      this.#news.resolve();
    };
    return followResources({ client, kind, signal, onSpecs });
  }
}
