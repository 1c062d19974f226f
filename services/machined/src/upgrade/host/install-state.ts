import type { InstallState } from '../domain/install-status.ts';

/** Where an installation of this machine is now, for those who publish it. */
export class InstallStateHolder {
  #state: InstallState;
  readonly #listeners = new Set<() => void>();

  constructor(state: InstallState = { kind: 'none' }) {
    this.#state = state;
  }

  current(): InstallState {
    return this.#state;
  }

  change(state: InstallState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}
