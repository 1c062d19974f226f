/**
 * Spreads callers over a fixed number of lanes. A caller keeps its lane while it has open calls. A new caller
 * gets the lane with the fewest callers, so that calls of different callers rarely share a connection.
 */
export class CallerLanes {
  readonly #callers: number[];
  readonly #lanes = new Map<string, { readonly lane: number; calls: number }>();

  constructor(lanes: number) {
    this.#callers = Array<number>(lanes).fill(0);
  }

  /** Returns the lane for a call of this caller. Call `leave` exactly once, when the call is over. */
  enter(caller: string): { readonly lane: number; leave(): void } {
    const known = this.#lanes.get(caller) ?? { lane: this.#emptiest(), calls: 0 };
    if (known.calls === 0) {
      this.#lanes.set(caller, known);
      this.#callers[known.lane] = (this.#callers[known.lane] ?? 0) + 1;
    }
    known.calls += 1;
    return {
      lane: known.lane,
      leave: () => {
        known.calls -= 1;
        if (known.calls > 0) return;
        this.#lanes.delete(caller);
        this.#callers[known.lane] = (this.#callers[known.lane] ?? 1) - 1;
      },
    };
  }

  #emptiest(): number {
    return this.#callers.indexOf(Math.min(...this.#callers));
  }
}
