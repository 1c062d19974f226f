/** A record of counters whose names are a list: the columns that `/proc` prints. */
export type Counters<Name extends string> = { readonly [Key in Name]: bigint };

const largestCounter = 2n ** 64n - 1n;

/** A counter of 64 bits in decimal digits; undefined for anything else. */
export function counterFrom(word: string | undefined): bigint | undefined {
  if (word === undefined || !/^\d{1,20}$/.test(word)) return undefined;
  const value = BigInt(word);
  return value > largestCounter ? undefined : value;
}

/** Names the decimal numbers of `columns`, in order; undefined when one is missing or invalid. */
export function countersFromColumns<Name extends string>(
  names: readonly Name[],
  columns: readonly string[],
): Counters<Name> | undefined {
  const pairs = names.map((name, index) => [name, counterFrom(columns[index])] as const);
  if (pairs.some(([, counter]) => counter === undefined)) return undefined;
  return Object.fromEntries(pairs) as Counters<Name>;
}

/** The sum of each counter over `rows`, modulo 2^64 as the counters themselves; zeros without rows. */
export function sumCounters<Name extends string>(
  names: readonly Name[],
  rows: readonly Counters<Name>[],
): Counters<Name> {
  return Object.fromEntries(
    names.map((name) => [name, rows.reduce((sum, row) => BigInt.asUintN(64, sum + row[name]), 0n)]),
  ) as Counters<Name>;
}
