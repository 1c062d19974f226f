import type { UpgradeState } from '../domain/upgrade-status.ts';

/** What the machine knows of its systems now, for those who publish it. */
export class UpgradeStateHolder {
  #state: UpgradeState = { facts: undefined, mode: undefined, verdict: undefined, problem: '' };
  readonly #listeners = new Set<() => void>();

  current(): UpgradeState {
    return this.#state;
  }

  change(change: Partial<UpgradeState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}
