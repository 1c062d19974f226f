/** Number of callers at which those without open calls are forgotten. */
const rememberedCallers = 1024;

/**
 * Spreads callers over a fixed number of lanes. A caller keeps its lane while it has open calls. A new caller
 * gets the lane with the fewest callers, so that calls of different callers rarely share a connection.
 */
export class CallerLanes {
  readonly #callers: number[];
  /** Callers with open calls, and some without. */
  readonly #lanes = new Map<string, { lane: number; calls: number }>();

  constructor(lanes: number) {
    this.#callers = Array<number>(lanes).fill(0);
  }

  /** Returns the lane for a call of this caller. Call `leave` exactly once, when the call is over. */
  enter(caller: string): number {
    const known = this.#lanes.get(caller);
    if (known !== undefined && known.calls > 0) {
      known.calls += 1;
      return known.lane;
    }
    const lane = this.#emptiest();
    this.#callers[lane] = (this.#callers[lane] ?? 0) + 1;
    if (known !== undefined) {
      known.lane = lane;
      known.calls = 1;
      return lane;
    }
    if (this.#lanes.size >= rememberedCallers) this.#forget();
    this.#lanes.set(caller, { lane, calls: 1 });
    return lane;
  }

  /** A call of this caller is over. */
  leave(caller: string): void {
    const known = this.#lanes.get(caller);
    if (known === undefined || known.calls === 0) return;
    known.calls -= 1;
    if (known.calls === 0) this.#callers[known.lane] = (this.#callers[known.lane] ?? 1) - 1;
  }

  /** Forgets the callers without open calls. They are kept until then, because many soon come back. */
  #forget(): void {
    for (const [caller, { calls }] of this.#lanes) if (calls === 0) this.#lanes.delete(caller);
  }

  #emptiest(): number {
    let emptiest = 0;
    for (let lane = 1; lane < this.#callers.length; lane += 1) {
      if ((this.#callers[lane] ?? 0) < (this.#callers[emptiest] ?? 0)) emptiest = lane;
    }
    return emptiest;
  }
}
