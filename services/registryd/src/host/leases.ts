/** Content in use by readers and downloads, which no collection removes. */
export class Leases {
  readonly #counts = new Map<string, number>();

  isHeld(digest: string): boolean {
    return this.#counts.has(digest);
  }

  /** Holds the content until the returned object is disposed of. */
  hold(digests: Iterable<string>): Disposable {
    const held = [...new Set(digests)];
    for (const digest of held) this.#counts.set(digest, (this.#counts.get(digest) ?? 0) + 1);
    return {
      [Symbol.dispose]: () => {
        for (const digest of held.splice(0)) {
          const left = (this.#counts.get(digest) ?? 1) - 1;
          if (left === 0) this.#counts.delete(digest);
          else this.#counts.set(digest, left);
        }
      },
    };
  }
}
