/** A barrier: participants wait until each of the others has arrived or left. */
export class MeetingPoint {
  #missing: number;
  readonly #complete = Promise.withResolvers<void>();

  /** @param count the number of participants */
  constructor(count: number) {
    this.#missing = count;
    if (count === 0) this.#complete.resolve();
  }

  /** The functions of one participant. Only its first call of either function counts. */
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
