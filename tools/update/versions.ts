/** Whether a version with numbers and dots, with or without a letter before them, is later than another one. */
export function isLater(version: string, than: string): boolean {
  const [left, right] = [numbersOf(version), numbersOf(than)];
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

const numbersOf = (version: string) =>
  version.replace(/^\D+/, '').split(/[-+]/)[0]?.split('.').map(Number) ?? [];

/** Whether it is made for everybody: no preview, and no commit without a tag. */
export const isRelease = (version: string) => /^v?\d+(\.\d+)*$/.test(version);

/** The releases after a version, in their order. */
export const laterReleases = (versions: readonly string[], version: string): readonly string[] =>
  versions
    .filter((one) => isRelease(one) && isLater(one, version))
    .toSorted((a, b) => (isLater(a, b) ? 1 : -1));
