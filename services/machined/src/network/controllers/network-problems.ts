import type { NetworkProblem } from '../domain/operator.ts';

/** What keeps parts of the network from working, by their sources. */
export class NetworkProblems {
  readonly #bySource = new Map<string, readonly NetworkProblem[]>();
  readonly #listeners = new Set<() => void>();

  /** Replaces the problems of a source. */
  set(source: string, problems: readonly NetworkProblem[]): void {
    const textOf = (list: readonly NetworkProblem[]) =>
      list.map(({ subject, line }) => `${subject} ${line}`).join('\n');
    if (textOf(this.#bySource.get(source) ?? []) === textOf(problems)) return;
    this.#bySource.set(source, problems);
    for (const listener of this.#listeners) listener();
  }

  /** All of them, each once. */
  all(): readonly NetworkProblem[] {
    const all = [...this.#bySource.values()].flat();
    return [...new Map(all.map((problem) => [problem.line, problem])).values()];
  }

  /** Why the machine may have no address, in one line; undefined when nothing is known to be wrong. */
  ofAddresses(): string | undefined {
    const lines = this.all().flatMap(({ subject, line }) => (subject === 'others' ? [] : [line]));
    return lines.length === 0 ? undefined : shownLines(lines).join('; ');
  }

  /** Calls `onChange` after each change. */
  watch(onChange: () => void): Disposable {
    this.#listeners.add(onChange);
    return { [Symbol.dispose]: () => void this.#listeners.delete(onChange) };
  }
}

/** A machine may have hundreds of links that fail for the same reason. */
const maxShown = 8;

/** The first lines, and how many more there are. */
export function shownLines(lines: readonly string[]): string[] {
  const more = lines.length - maxShown;
  return [...lines.slice(0, maxShown), ...(more > 0 ? [`and ${more} more`] : [])];
}
