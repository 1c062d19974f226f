/**
 * What is missing counts as gone only after a pause: a configuration that is read again, or a request that is replaced, is missing for a
 * moment, and must not end what is in use.
 */
export class Absences {
  readonly #pauseMs: number;
  readonly #since = new Map<string, number>();

  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs;
  }

  /**
   * How long something must stay missing until it is gone, in ms; 0 when it is gone. Its time begins with the first call.
   *
   * @param nowMs of a clock that nobody sets
   */
  remainingMs(id: string, nowMs: number): number {
    const since = this.#since.get(id) ?? nowMs;
    this.#since.set(id, since);
    return Math.max(0, since + this.#pauseMs - nowMs);
  }

  /** What is there again begins anew the next time. */
  keepOnly(isMissing: (id: string) => boolean): void {
    for (const id of this.#since.keys()) if (!isMissing(id)) this.#since.delete(id);
  }
}
