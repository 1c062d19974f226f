/** The new index in a list after a key. */
export function moved(at: number, word: string, page: number, count: number): number {
  const steps: Readonly<Record<string, number>> = {
    ...{ up: -1, k: -1, down: 1, j: 1, 'page-up': -page, 'page-down': page },
    ...{ home: -count, g: -count, end: count, G: count },
  };
  return Math.max(0, Math.min(count - 1, at + (steps[word] ?? 0)));
}
