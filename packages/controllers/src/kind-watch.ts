import { pauseBy, type Timers } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
import type { KindRef, ResourceEvent, State, Watch } from '@nodewright/state';
import type { Logger } from '@nodewright/telemetry';
import { BackOff } from './back-off.ts';
import type { Input } from './controller.ts';
import { outsideOfSpans } from './outside-of-spans.ts';

/** A controller that changes wake. */
export interface Sleeper {
  /** @param traceparent of the span in which the change was written. */
  wake(traceparent?: string): void;
}

export interface KindWatchInit {
  readonly kind: KindRef;
  readonly state: State;
  readonly log: Logger;
  readonly timers: Timers;
  readonly random: () => number;
}

/**
 * The one watch of a kind for all controllers that have it as an input; it wakes those that a change
 * concerns. A watch that has lost events cannot know which ones. So it is opened again, and then it wakes
 * every controller that reads the kind: no wake-up is lost, and other kinds are not affected. (Upstream ends
 * its whole runtime in this case.) Source: Talos v1.14: COSI reconcile loop, watches.
 */
export class KindWatch {
  readonly #init: KindWatchInit;
  readonly #stop = new AbortController();
  readonly #isInPlace = Promise.withResolvers<void>();
  readonly #ofKind = new Map<Sleeper, Input['kind']>();
  readonly #ofId = new Map<string, Map<Sleeper, Input['kind']>>();
  /** Resolves when the watch has ended. */
  readonly ended: Promise<void>;

  constructor(init: KindWatchInit) {
    this.#init = init;
    this.ended = outsideOfSpans(() => this.#run()).finally(() => this.#isInPlace.resolve());
  }

  /** Resolves when the watch is open, or when it has ended without being opened. */
  get inPlace(): Promise<void> {
    return this.#isInPlace.promise;
  }

  get isUnused(): boolean {
    return this.#ofKind.size === 0 && this.#ofId.size === 0;
  }

  add(sleeper: Sleeper, { id, kind }: Input): void {
    if (id === undefined) this.#ofKind.set(sleeper, kind);
    else this.#ofId.getOrInsertComputed(id, () => new Map()).set(sleeper, kind);
  }

  remove(sleeper: Sleeper, { id }: Input): void {
    if (id === undefined) {
      this.#ofKind.delete(sleeper);
      return;
    }
    const sleepers = this.#ofId.get(id);
    sleepers?.delete(sleeper);
    if (sleepers?.size === 0) this.#ofId.delete(id);
  }

  /** Ends the watch. */
  stop(): void {
    this.#stop.abort();
  }

  async #run(): Promise<void> {
    const { kind, state, log, timers } = this.#init;
    const { signal } = this.#stop;
    const backOff = new BackOff(this.#init.random);
    let failures = 0;
    while (!signal.aborted) {
      try {
        using watch = await state.watchKind(kind, { aggregated: true, bootstrapBookmark: true, signal });
        this.#wakeAll();
        this.#isInPlace.resolve();
        await this.#follow(watch, () => {
          failures = 0;
          backOff.reset();
        });
      } catch (error) {
        if (signal.aborted) return;
        const { namespace, type } = kind;
        const facts = { namespace, type, error: faultFrom(error).message };
        log.warn(facts, 'watch lost, all who read the kind are woken by the next one');
        failures += 1;
        // A reader that was too slow starts over at once; a watch that cannot be opened backs off.
        if (failures > 1) await pauseBy(timers, backOff.next(), signal);
      }
    }
  }

  /**
   * Wakes the controllers that the events concern, until the watch ends.
   *
   * @throws when it has lost events
   */
  async #follow(watch: Watch, onChange: () => void): Promise<void> {
    for await (const events of watch) {
      for (const event of events) {
        if (event.kind === 'errored') throw new Error(event.message);
        if (!('resource' in event)) continue;
        onChange();
        this.#tell(event);
      }
    }
    if (!this.#stop.signal.aborted) throw new Error('the watch ended');
  }

  #tell({
    resource: { metadata },
    traceparent,
  }: Extract<ResourceEvent, { readonly resource: unknown }>): void {
    const isReady = metadata.phase === 'tearingDown' && metadata.finalizers.length === 0;
    for (const sleepers of [this.#ofKind, this.#ofId.get(metadata.id)]) {
      for (const [sleeper, kind] of sleepers ?? []) {
        if (kind !== 'destroy-ready' || isReady) sleeper.wake(traceparent);
      }
    }
  }

  #wakeAll(): void {
    for (const sleepers of [this.#ofKind, ...this.#ofId.values()]) {
      for (const sleeper of sleepers.keys()) sleeper.wake();
    }
  }
}
