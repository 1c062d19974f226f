/** Where several that go the same way wait for each other. */
export class MeetingPoint {
  #missing: number;
  readonly #complete = Promise.withResolvers<void>();

  /** @param count how many are to come */
  constructor(count: number) {
    this.#missing = count;
    if (count === 0) this.#complete.resolve();
  }

  /** One who comes, or does not come any more. Each counts once, whatever it says afterwards. */
  place(): { readonly arrive: () => Promise<void>; readonly leave: () => void } {
    let isOpen = true;
    const leave = () => {
      if (!isOpen) return;
      isOpen = false;
      this.#missing -= 1;
      if (this.#missing === 0) this.#complete.resolve();
    };
    return {
      arrive: () => {
        leave();
        return this.#complete.promise;
      },
      leave,
    };
  }
}
