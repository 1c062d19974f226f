/** The number of single-character edits between two texts. A swap of adjacent characters counts as one. */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (last[column - 1] as number) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] as number) + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] as number;
}

/** How many edits a text of this length may be away: a short one is near to many names that were not meant. */
const mostEdits = (length: number) => (length <= 2 ? 0 : length <= 5 ? 1 : 2);

/** The most similar name: one or two edits away, or the only one that begins with the text. */
export function nearestName(text: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, distance: editDistance(text, name) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  if (best !== undefined && best.distance <= mostEdits(text.length)) return best.name;
  const beginning = names.filter((name) => name.startsWith(text));
  return text !== '' && beginning.length === 1 ? beginning[0] : undefined;
}

/** A text to append to an error, such as `: did you mean "memory"?`; empty without a similar name. */
export function didYouMean(nearest: string | undefined): string {
  return nearest === undefined ? '' : `: did you mean ${JSON.stringify(nearest)}?`;
}
