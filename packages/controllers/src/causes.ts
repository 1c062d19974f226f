/** So many writes at most are named as the causes of one pass. */
const limit = 32;

/** The spans of the writes that woke a controller, the first one first. */
export class Causes {
  readonly #traceparents = new Set<string>();

  add(traceparent: string | undefined): void {
    if (traceparent !== undefined && this.#traceparents.size < limit) this.#traceparents.add(traceparent);
  }

  /** Gives them away: what is added from now on belongs to the next pass. */
  take(): readonly string[] {
    const taken = [...this.#traceparents];
    this.#traceparents.clear();
    return taken;
  }

  /** A pass that failed is done again for what caused it. */
  putBack(taken: readonly string[]): void {
    const since = this.take();
    for (const traceparent of [...taken, ...since]) this.add(traceparent);
  }
}
