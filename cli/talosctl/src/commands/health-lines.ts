/** States with which a check ends. Source: Talos v1.14: health. */
const endStates: ReadonlySet<string> = new Set(['OK', 'SKIP']);

/** One check and its last state. */
interface CheckState {
  readonly check: string;
  readonly state: string;
}

/** What to print of the lines of a health check: one line for each check, with the state it ends with. */
export class HealthLines {
  readonly #states = new Map<string, string>();
  #pending: CheckState | undefined;

  /** @returns the line to print; undefined while the check goes on */
  take(line: string): string | undefined {
    const [, check, state] = /^waiting for (.*?): (.*)$/s.exec(line) ?? [];
    if (check === undefined || state === undefined) return line;
    if (state !== '...') this.#states.set(check, state);
    this.#pending = endStates.has(state) ? undefined : { check, state };
    return this.#pending === undefined ? line : undefined;
  }

  /** What the check that goes on waits for, as part of a line. */
  get pending(): string | undefined {
    const { check, state } = this.#pending ?? {};
    return state === '...' ? check : check && `${check}: ${state}`;
  }

  /** The line of a check that has not ended; undefined without one. */
  end(): string | undefined {
    return this.pending && `waiting for ${this.pending}`;
  }

  get states(): CheckState[] {
    return [...this.#states].map(([check, state]) => ({ check, state }));
  }
}
