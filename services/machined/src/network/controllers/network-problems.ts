/** What a problem keeps away: the addresses of the machine, or something else, such as a route. */
export type ProblemSubject = 'addresses' | 'others';

/** What keeps parts of the network from working, by their sources. */
export class NetworkProblems {
  /** A machine may have hundreds of links that fail for the same reason. */
  static readonly #maxShown = 8;
  readonly #bySource = new Map<
    string,
    { readonly subject: ProblemSubject; readonly lines: readonly string[] }
  >();
  readonly #listeners = new Set<() => void>();

  /** Replaces the problems of a source, one line each. */
  set(source: string, subject: ProblemSubject, lines: readonly string[]): void {
    const before = this.#bySource.get(source)?.lines ?? [];
    if (before.join('\n') === lines.join('\n')) return;
    this.#bySource.set(source, { subject, lines });
    for (const listener of this.#listeners) listener();
  }

  /** Why the machine may have no address, in one line; undefined when nothing is known to be wrong. */
  ofAddresses(): string | undefined {
    const all = [...this.#bySource.values()].flatMap(({ subject, lines }) =>
      subject === 'addresses' ? lines : [],
    );
    if (all.length === 0) return undefined;
    const more = all.length - NetworkProblems.#maxShown;
    const shown = all.slice(0, NetworkProblems.#maxShown);
    return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
  }

  /** Calls `onChange` after each change. */
  watch(onChange: () => void): Disposable {
    this.#listeners.add(onChange);
    return { [Symbol.dispose]: () => void this.#listeners.delete(onChange) };
  }
}
