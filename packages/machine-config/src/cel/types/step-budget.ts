import { maxCheckSteps } from '../limits.ts';

/** Thrown when a check takes more than `maxCheckSteps`. */
export class TooManySteps extends Error {}

/**
 * Counts the steps of one check. Types can share their parts, so that a short expression may have a type whose full
 * text is as long as 2 to the power of its length: each visit of a part is one step.
 */
export class StepBudget {
  #left = maxCheckSteps;

  spend(steps = 1): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooManySteps(`the check took more than ${maxCheckSteps} steps`);
  }
}
