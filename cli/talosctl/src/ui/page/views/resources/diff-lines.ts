export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Longer texts are compared only up to their common beginning and end. */
const mostLines = 2000;

/** The difference between two texts, line by line, with the longest common subsequence. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [left, right] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let end = 0;
  const most = Math.min(left.length, right.length) - start;
  while (end < most && left[left.length - 1 - end] === right[right.length - 1 - end]) end += 1;
  const middle = differing(left.slice(start, left.length - end), right.slice(start, right.length - end));
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return [...left.slice(0, start).map(same), ...middle, ...(end === 0 ? [] : left.slice(-end).map(same))];
}

function differing(left: readonly string[], right: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: 'removed', text });
  const added = (text: string): DiffLine => ({ kind: 'added', text });
  if (left.length > mostLines || right.length > mostLines) return [...left.map(removed), ...right.map(added)];
  const width = right.length + 1;
  /** At `row * width + column`: length of the longest common subsequence of what follows. */
  const lengths = new Uint16Array((left.length + 1) * width);
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0;
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        left[row] === right[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < left.length || column < right.length) {
    if (row < left.length && column < right.length && left[row] === right[column]) {
      lines.push({ kind: 'same', text: left[row] ?? '' });
      row += 1;
      column += 1;
    } else if (row < left.length && (column >= right.length || at(row + 1, column) >= at(row, column + 1))) {
      lines.push(removed(left[row] ?? ''));
      row += 1;
    } else {
      lines.push(added(right[column] ?? ''));
      column += 1;
    }
  }
  return lines;
}

/** A line of a shortened difference: `left` stands for the lines that were left out. */
export type ShownLine = DiffLine | { readonly kind: 'left'; readonly text: string };

/** Only the changes, with some unchanged lines around them. */
export function nearChanges(lines: readonly DiffLine[], context: number): readonly ShownLine[] {
  const near = new Set<number>();
  for (const [at, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    for (let around = at - context; around <= at + context; around += 1) near.add(around);
  }
  return lines.flatMap((line, at): ShownLine[] => {
    if (near.has(at)) return [line];
    return at > 0 && !near.has(at - 1) ? [] : [{ kind: 'left', text: '' }];
  });
}
