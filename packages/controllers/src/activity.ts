/** Counts running work. Tests and the start of a node wait until everything is idle. */
export class Activity {
  readonly #busy = new Set<object>();
  #waiting: (() => void)[] = [];
  #begun = 0;

  /** How many pieces of work have begun so far. */
  get begun(): number {
    return this.#begun;
  }

  set(who: object, isBusy: boolean): void {
    if (isBusy === this.#busy.has(who)) return;
    if (isBusy) {
      this.#busy.add(who);
      this.#begun += 1;
      return;
    }
    this.#busy.delete(who);
    if (this.#busy.size > 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** Resolves when nothing runs. */
  whenIdle(): Promise<void> {
    if (this.#busy.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
