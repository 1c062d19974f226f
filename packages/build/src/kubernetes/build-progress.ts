import type { CompileProgress } from '../go/compile-packages.ts';

/** Lines about a build: at most one per interval, with the minutes that are left. */
export class BuildProgress {
  readonly #name: string;
  readonly #now: () => number;
  readonly #startedMs: number;
  #toldMs: number;

  /** @param now a clock in ms */
  constructor(name: string, now: () => number) {
    this.#name = name;
    this.#now = now;
    this.#startedMs = now();
    this.#toldMs = this.#startedMs;
  }

  /** The line to print now; `undefined` while the last one is recent. */
  line({ compiled, packages }: CompileProgress): string | undefined {
    const now = this.#now();
    if (now - this.#toldMs < intervalMs) return undefined;
    this.#toldMs = now;
    // Packages in the cache are never compiled, so this is too long rather than too short.
    const leftMs = ((now - this.#startedMs) / compiled) * (packages - compiled);
    const minutes = Math.ceil(leftMs / 60_000);
    return `${this.#name}: ${compiled} of ${packages} packages compiled, at most ${minutes} min left`;
  }
}

const intervalMs = 15_000;
