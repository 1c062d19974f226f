/** One listener at a time for changes, of a class that has a `watch()`. */
export class ChangeListener {
  #onChange: (() => void) | undefined;

  /** Calls `onChange` after each change, until the result is disposed of. It replaces the listener before it. */
  watch(onChange: () => void): Disposable {
    this.#onChange = onChange;
    return {
      [Symbol.dispose]: () => {
        // The listener that has replaced this one stays.
        if (this.#onChange === onChange) this.#onChange = undefined;
      },
    };
  }

  changed(): void {
    this.#onChange?.();
  }
}
