/** Runs one action after the other: a partition table is read and written as a whole. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  run<R>(action: () => Promise<R>): Promise<R> {
    const done = this.#last.then(action);
    this.#last = done.catch(() => {});
    return done;
  }
}
