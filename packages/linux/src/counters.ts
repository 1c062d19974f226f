/** A record of counters whose names are known as a list: what `/proc` prints as columns. */
export type Counters<Name extends string> = { readonly [Key in Name]: bigint };

/** Names the decimal numbers of `columns`, in order; undefined when one is missing or is not a number. */
export function countersFromColumns<Name extends string>(
  names: readonly Name[],
  columns: readonly string[],
): Counters<Name> | undefined {
  const pairs = names.map((name, index) => [name, columns[index]] as const);
  if (!pairs.every(([, column]) => column !== undefined && /^\d+$/.test(column))) return undefined;
  return Object.fromEntries(
    pairs.map(([name, column]) => [name, BigInt(column as string)]),
  ) as Counters<Name>;
}

/** The sum of each counter over `rows`; zeros when there is none. */
export function sumCounters<Name extends string>(
  names: readonly Name[],
  rows: readonly Counters<Name>[],
): Counters<Name> {
  return Object.fromEntries(
    names.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0n)]),
  ) as Counters<Name>;
}
