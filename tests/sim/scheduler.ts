import type { SeededRandom } from '../fuzz/seeded-random.ts';

interface Waiting {
  readonly what: string;
  readonly go: () => void;
}

/** Decides which operation continues next. Everything that can happen in different orders waits here. */
export class Scheduler {
  readonly #random: SeededRandom;
  readonly #onStep: (what: string) => void;
  readonly #waiting: Waiting[] = [];

  constructor(random: SeededRandom, onStep: (what: string) => void) {
    this.#random = random;
    this.#onStep = onStep;
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0;
  }

  /** Resolves when the scheduler selects this operation. */
  turn(what: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ what, go: resolve }));
  }

  /** Lets one of the waiting operations continue. */
  step(): void {
    const at = this.#random.below(this.#waiting.length);
    const chosen = this.#waiting[at];
    const last = this.#waiting.pop();
    if (chosen === undefined || last === undefined) return;
    if (chosen !== last) this.#waiting[at] = last;
    this.#onStep(chosen.what);
    chosen.go();
  }
}
