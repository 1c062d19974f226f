export interface WrongGuessLimits {
  /** Wrong guesses that wait per group of addresses. */
  readonly guessesPerGroup: number;
  /** Groups with guesses that wait. */
  readonly guessGroups: number;
}

/**
 * Counts the calls whose wrong token waits for its answer, per group of addresses. A group is forgotten with its last
 * call, so the table holds `guessGroups` entries at most.
 */
export class WrongGuesses {
  readonly #limits: WrongGuessLimits;
  readonly #waiting = new Map<string, number>();

  constructor(limits: WrongGuessLimits) {
    this.#limits = limits;
  }

  /** Groups that are in the table. */
  get groups(): number {
    return this.#waiting.size;
  }

  /** Takes a place to wait, which `leave` gives back. False: the group, or the table, has none. */
  enter(group: string): boolean {
    const waiting = this.#waiting.get(group);
    if (waiting === undefined && this.#waiting.size >= this.#limits.guessGroups) return false;
    if ((waiting ?? 0) >= this.#limits.guessesPerGroup) return false;
    this.#waiting.set(group, (waiting ?? 0) + 1);
    return true;
  }

  leave(group: string): void {
    const waiting = (this.#waiting.get(group) ?? 0) - 1;
    if (waiting > 0) this.#waiting.set(group, waiting);
    else this.#waiting.delete(group);
  }
}
