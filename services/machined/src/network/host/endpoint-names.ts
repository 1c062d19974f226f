// Looks up the hosts of WireGuard endpoints that are names. A planner cannot wait for an answer, so the answers come later, as a change.
import { lookup } from 'node:dns/promises';
import type { Timers } from '@nodewright/async';

/** @throws Error when the name has no address, or no name server answers */
export type LookUp = (name: string) => Promise<string>;

/** A name server may answer later. */
const retryMs = 10_000;

/**
 * Addresses of names. A name without an address is looked up again ten seconds after its last look-up, in its turn. An address is kept as long as its name is asked for:
 * a peer that moves to another one is followed by WireGuard itself.
 */
export class EndpointNames {
  readonly #timers: Timers;
  readonly #lookUp: LookUp;
  readonly #addresses = new Map<string, string>();
  /** When the last look-ups of names without an address ended. */
  readonly #triedMs = new Map<string, number>();
  readonly #listeners = new Set<() => void>();
  #alarm: Disposable | undefined;
  #isBusy = false;

  constructor(timers: Timers, lookUp: LookUp = systemLookUp) {
    this.#timers = timers;
    this.#lookUp = lookUp;
  }

  /** The addresses that are known by now. Names that are not among these are forgotten. */
  addressesOf(names: readonly string[]): ReadonlyMap<string, string> {
    const wanted = new Set(names);
    for (const map of [this.#addresses, this.#triedMs])
      for (const name of map.keys()) if (!wanted.has(name)) map.delete(name);
    for (const name of wanted)
      if (!this.#addresses.has(name) && !this.#triedMs.has(name))
        this.#triedMs.set(name, Number.NEGATIVE_INFINITY);
    if (!this.#isBusy) void this.#lookUpDue();
    return new Map(this.#addresses);
  }

  /** Calls `onChange` when an address has become known. */
  watch(onChange: () => void): Disposable {
    this.#listeners.add(onChange);
    return { [Symbol.dispose]: () => void this.#listeners.delete(onChange) };
  }

  /** One after the other: a look-up that nobody answers holds one of the few threads that also read files. */
  async #lookUpDue(): Promise<void> {
    this.#isBusy = true;
    for (let name = this.#due(); name !== undefined; name = this.#due()) {
      const address = await this.#lookUp(name).catch(() => undefined);
      // It may have been forgotten in the meantime.
      if (!this.#triedMs.delete(name)) continue;
      if (address === undefined) {
        // At its end: without an answer a look-up takes longer than the pause.
        this.#triedMs.set(name, this.#timers.monotonicMs());
        continue;
      }
      this.#addresses.set(name, address);
      for (const listener of this.#listeners) listener();
    }
    this.#isBusy = false;
    this.#alarm?.[Symbol.dispose]();
    this.#alarm = undefined;
    if (this.#triedMs.size === 0) return;
    const dueMs = Math.min(...this.#triedMs.values()) + retryMs;
    this.#alarm = this.#timers.after(dueMs - this.#timers.monotonicMs(), () => {
      if (!this.#isBusy) void this.#lookUpDue();
    });
  }

  /** The one that has waited longest, so that each gets its turn. */
  #due(): string | undefined {
    const latestMs = this.#timers.monotonicMs() - retryMs;
    const firstMs = Math.min(...this.#triedMs.values());
    if (firstMs > latestMs) return undefined;
    for (const [name, triedMs] of this.#triedMs) if (triedMs === firstMs) return name;
    return undefined;
  }
}

const systemLookUp: LookUp = async (name) => (await lookup(name)).address;
