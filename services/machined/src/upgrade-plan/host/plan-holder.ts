import type { PlanState } from '../domain/show-plan.ts';

/** What is known of the plan of this node, for those who publish it. */
export class PlanHolder {
  #state: PlanState = { plan: 'unknown', waitsFor: '' };
  readonly #listeners = new Set<() => void>();

  current(): PlanState {
    return this.#state;
  }

  set(state: PlanState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}
