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
  enter(caller: string): number {
    const known = this.#lanes.get(caller);
    if (known !== undefined) {
      known.calls += 1;
      return known.lane;
    }
    const lane = this.#emptiest();
    this.#lanes.set(caller, { lane, calls: 1 });
    this.#callers[lane] = (this.#callers[lane] ?? 0) + 1;
    return lane;
  }

  /** A call of this caller is over. */
  leave(caller: string): void {
    const known = this.#lanes.get(caller);
    if (known === undefined) return;
    known.calls -= 1;
    if (known.calls > 0) return;
    this.#lanes.delete(caller);
    this.#callers[known.lane] = (this.#callers[known.lane] ?? 1) - 1;
  }

  #emptiest(): number {
    return this.#callers.indexOf(Math.min(...this.#callers));
  }
}
