/** The middle value; of an even number of values the higher of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('no values');
  return middle;
}

/**
 * The median ratio of figures that were measured in turns, each with the one of the same turn: the speed of a shared machine changes from
 * turn to turn, and a ratio of two medians would compare different moments.
 */
export function medianRatio(figures: readonly number[], others: readonly number[]): number {
  return median(figures.map((figure, turn) => figure / (others[turn] ?? Number.NaN)));
}
