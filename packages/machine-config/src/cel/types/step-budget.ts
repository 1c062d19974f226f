import { maxCheckSteps } from '../limits.ts';

/** Thrown when a check takes more than `maxCheckSteps` steps. */
export class TooManySteps extends Error {}

/**
 * Counts the steps of one check. Types can share parts, so the full text of a type can be exponentially
 * longer than the expression. Each visit of a part is one step.
 */
export class StepBudget {
  #left = maxCheckSteps;

  spend(steps = 1): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooManySteps(`the check took more than ${maxCheckSteps} steps`);
  }
}
