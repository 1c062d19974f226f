/** The first ones of a list, and a line about the others. */
export function withinLimit<T>(
  list: readonly T[],
  { limit, what }: { readonly limit: number; readonly what: string },
  waiting: string[],
): readonly T[] {
  if (list.length <= limit) return list;
  waiting.push(`of ${list.length} ${what} only ${limit} are applied`);
  return list.slice(0, limit);
}
