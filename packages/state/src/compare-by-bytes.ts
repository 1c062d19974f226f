/** Moves surrogates behind the rest of the plane, so that UTF-16 units sort as UTF-8 bytes do. */
function sortKey(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

/**
 * Compares two texts by their UTF-8 bytes, the order in which every peer sorts ids. Negative when `a` comes
 * first.
 */
export function compareByBytes(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left !== right) return sortKey(left) - sortKey(right);
  }
  return a.length - b.length;
}

/** Texts without surrogates compare the same way as JavaScript strings do. */
const sortedApart = /[\ud800-\uffff]/;

/** Sorts texts with `compareByBytes`. Tens of thousands of texts take a few milliseconds. */
export function sortByBytes(texts: Iterable<string>): string[] {
  const sorted = [...texts].sort();
  return sorted.some((text) => sortedApart.test(text)) ? sorted.sort(compareByBytes) : sorted;
}
