import { maxJoinedUnits, maxJoinedValue } from '../limits.ts';

/** Counts what one evaluation puts into new texts, bytes and lists. */
export class ValueBudget {
  #left = maxJoinedUnits;

  /** @throws Error when the new value, or all of them together, are too large */
  spend(units: number): void {
    this.#left -= units;
    if (units > maxJoinedValue) throw new Error(`it makes a value with more than ${maxJoinedValue} parts`);
    if (this.#left < 0) throw new Error(`it makes values with more than ${maxJoinedUnits} parts`);
  }
}
