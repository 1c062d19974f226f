/**
 * A number at which a program stops. It is declared once: the code takes the value from its table with `limitValues()`, and
 * `make generate` writes a row of docs/limits.md from the same table.
 */
export interface Limit {
  /** What is counted, and for whom, as a noun: `open calls of one identity`. */
  readonly what: string;
  readonly value: number;
  /** `bytes`, `ms`, `share` (of 1), or the noun that follows the number: `calls`, `calls per second`. */
  readonly unit: string;
  /** What happens at the limit. */
  readonly effect: string;
  /**
   * The tests that attack it or hold the program to it: the path of a file, and after a `#` the first words of the name of a test or of an
   * attack in it. `tests/house/limits.test.ts` looks for both, and lists the limits that no test attacks.
   */
  readonly attackedBy: readonly string[];
}

/** Limits by the names that the code has for them, in groups where the code takes several at once. */
export interface LimitTable {
  readonly [name: string]: Limit | LimitTable;
}

/** The numbers of a table. */
export type LimitValues<Table> = Table extends Limit
  ? number
  : { readonly [Name in keyof Table]: LimitValues<Table[Name]> };

export const isLimit = (entry: Limit | LimitTable): entry is Limit => typeof entry.value === 'number';

/** The numbers of a table, by the same names and in the same groups. */
export function limitValues<Table extends LimitTable>(table: Table): LimitValues<Table> {
  const values = Object.entries(table).map(([name, entry]) => [
    name,
    isLimit(entry) ? entry.value : limitValues(entry),
  ]);
  return Object.fromEntries(values) as LimitValues<Table>;
}
