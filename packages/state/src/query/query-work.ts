import { Fault } from '@nodewright/fault';

/**
 * Steps that the expression of one query may take in one turn of the event loop. An ordinary expression takes about five
 * steps for each character, thus 200,000 for a thousand ids of forty characters. On a slow machine so many steps as
 * these take 20 ms.
 */
export const maxQuerySteps = 300_000;

/** Counts the steps of a query, so that no caller can block the process with an expression. */
export class QueryWork {
  #steps = 0;

  /** The steps since the last `renew()`. */
  get steps(): number {
    return this.#steps;
  }

  /** @throws Fault `resource-exhausted` when the query has taken too many steps */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > maxQuerySteps)
      throw new Fault('resource-exhausted', `the expression for ids takes more than ${maxQuerySteps} steps`);
  }

  /** When a watch lets others go on first: the other half is for the event that it looks at then. */
  get isHalfSpent(): boolean {
    return this.#steps > maxQuerySteps / 2;
  }

  /** Begins a new turn. */
  renew(): void {
    this.#steps = 0;
  }
}
