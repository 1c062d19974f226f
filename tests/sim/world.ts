/** The world outside the store: things that controllers set up, and registers with change listeners. */
export class World {
  /** The names of the things that are set up. */
  readonly things = new Set<string>();
  readonly #registers = new Map<string, number>();
  readonly #listeners = new Set<() => void>();

  get listeners(): number {
    return this.#listeners.size;
  }

  read(register: string): number {
    return this.#registers.get(register) ?? 0;
  }

  write(register: string, value: number): void {
    this.#registers.set(register, value);
    for (const listener of this.#listeners) listener();
  }

  listen(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}
