/** Words of questions that say nothing about their subject. */
const emptyWords: ReadonlySet<string> = new Set(
  `a about after all am an and any are as at be been but by can cannot could did do does doing don for from get gets getting give
  go goes had has have help how i if in instead into is isn it its just let like make me mine my need of off on one or our
  out please s see should so some something t than that the them then there these they this those to too use using want was we what
  when where which who why will with without work working works would you your`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/**
 * The words of a text as the search compares them: lower case, without endings. `SysctlConfig` and `apply-config` give their parts and
 * the whole.
 */
export function wordsOf(text: string): string[] {
  return [...text.matchAll(/[\p{L}\p{N}]+(?:[-_.][\p{L}\p{N}]+)*/gu)].flatMap(([found]) => {
    const parts = found
      .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
      .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
      .split(/[-_. ]/)
      .filter((part) => part !== '');
    const whole = found.replaceAll(/[-_.]/g, '');
    return (parts.length > 1 ? [...parts, whole] : parts).map(stemOf);
  });
}

/** The words of a question without those that say nothing, unless it has no others. */
export function questionWords(question: string): string[] {
  const words = question
    .toLowerCase()
    .split(/[^\p{L}\p{N}\-_.]+/u)
    .filter((word) => word !== '');
  const full = words.filter((word) => !emptyWords.has(word));
  const chosen = full.length > 0 ? full : words;
  // A question has no capitals that could show the parts of a name: the whole is one of its words already.
  return [
    ...new Set(
      chosen.flatMap((word) =>
        word
          .split(/[-_.]/)
          .filter((part) => part !== '')
          .map(stemOf),
      ),
    ),
  ];
}

/** A word without its usual English endings: not always a word, but the same for all its forms. */
export function stemOf(word: string): string {
  const lower = word.toLowerCase();
  if (lower.length <= 3 || /\d/.test(lower)) return lower;
  const singular = lower.endsWith('ies')
    ? `${lower.slice(0, -3)}y`
    : /(?:ss|us|is)$/.test(lower)
      ? lower
      : lower.replace(/s$/, '');
  const root = singular.length > 5 ? singular.replace(/(?:ing|ed)$/, '') : singular;
  const single = root === singular ? root : root.replace(/([bdgklmnprt])\1$/, '$1');
  return single.length > 3 ? single.replace(/e$/, '') : single;
}

/**
 * How many letters two words differ by, where two letters in the wrong order count as one; anything above `limit` is `limit + 1`.
 * This is the optimal string alignment distance.
 */
export function wordDistance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1;
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      let least = Math.min(
        (last[column] as number) + 1,
        (next[column - 1] as number) + 1,
        (last[column - 1] as number) + (isSame ? 0 : 1),
      );
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
        least = Math.min(least, (before[column - 2] as number) + 1);
      next.push(least);
    }
    if (Math.min(...next) > limit) return limit + 1;
    before = last;
    last = next;
  }
  return Math.min(last[other.length] as number, limit + 1);
}
