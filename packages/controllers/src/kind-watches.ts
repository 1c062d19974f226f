import type { Input } from './controller.ts';
import { KindWatch, type KindWatchInit, type Sleeper } from './kind-watch.ts';

/**
 * The watches of all kinds that are inputs. Each one stays open while a controller has the kind as an input.
 */
export class KindWatches {
  readonly #init: Omit<KindWatchInit, 'kind'>;
  readonly #watches = new Map<string, KindWatch>();
  readonly #ending = new Set<Promise<void>>();

  constructor(init: Omit<KindWatchInit, 'kind'>) {
    this.#init = init;
  }

  /** From now on, changes of the input wake the controller. Resolves when the watch is open. */
  add(sleeper: Sleeper, input: Input): Promise<void> {
    const { namespace, type } = input;
    const watch = this.#watches.getOrInsertComputed(
      keyOf(input),
      () => new KindWatch({ ...this.#init, kind: { namespace, type } }),
    );
    watch.add(sleeper, input);
    return watch.inPlace;
  }

  remove(sleeper: Sleeper, input: Input): void {
    const key = keyOf(input);
    const watch = this.#watches.get(key);
    watch?.remove(sleeper, input);
    if (!watch?.isUnused) return;
    this.#watches.delete(key);
    this.#end(watch);
  }

  /** Resolves when all watches have ended. */
  async stop(): Promise<void> {
    for (const watch of this.#watches.values()) this.#end(watch);
    this.#watches.clear();
    await Promise.all(this.#ending);
  }

  #end(watch: KindWatch): void {
    watch.stop();
    const ended = watch.ended.finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }
}

const keyOf = ({ namespace, type }: Input) => JSON.stringify([namespace, type]);
