/** Most writes that are recorded as the causes of one pass. */
const limit = 32;

/** The spans of the writes that woke a controller, oldest first. */
export class Causes {
  readonly #traceparents = new Set<string>();

  add(traceparent: string | undefined): void {
    if (traceparent !== undefined && this.#traceparents.size < limit) this.#traceparents.add(traceparent);
  }

  /** Returns the causes and forgets them: later ones belong to the next pass. */
  take(): readonly string[] {
    const taken = [...this.#traceparents];
    this.#traceparents.clear();
    return taken;
  }

  /** Puts the causes of a failed pass back, because it will be repeated for them. */
  putBack(taken: readonly string[]): void {
    const since = this.take();
    for (const traceparent of [...taken, ...since]) this.add(traceparent);
  }
}
