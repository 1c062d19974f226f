/** Who is at work. It answers when everybody has come to rest, which tests and the start of a node wait for. */
export class Activity {
  readonly #busy = new Set<object>();
  #waiting: (() => void)[] = [];
  #begun = 0;

  /** How many times somebody has begun to work. */
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

  /** Resolves when nobody is at work. */
  whenIdle(): Promise<void> {
    if (this.#busy.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
