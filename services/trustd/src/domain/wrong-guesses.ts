export interface WrongGuessLimits {
  /** Delayed calls with a wrong token per group of addresses. */
  readonly guessesPerGroup: number;
  /** Groups with delayed calls. */
  readonly guessGroups: number;
}

/**
 * Counts the delayed calls with a wrong token per group of addresses. A group is removed with its last call,
 * so the table holds at most `guessGroups` entries.
 */
export class WrongGuesses {
  readonly #limits: WrongGuessLimits;
  readonly #waiting = new Map<string, number>();

  constructor(limits: WrongGuessLimits) {
    this.#limits = limits;
  }

  /** Number of groups in the table. */
  get groups(): number {
    return this.#waiting.size;
  }

  /** Counts a delayed call until `leave`. Returns `false` when the group or the table is full. */
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
