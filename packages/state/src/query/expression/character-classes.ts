import { type CharacterProperty, type CharacterRange, ExpressionError } from './syntax.ts';

const lastPoint = 0x10ffff;

/** What one item in brackets accepts, or an escape outside of them. */
export interface ClassItem {
  readonly ranges: readonly CharacterRange[];
  readonly properties?: readonly CharacterProperty[];
}

/** One range for each pair of characters: `between('az', '09')`. */
function between(...ranges: string[]): readonly CharacterRange[] {
  return mergedRanges(ranges.map(([from = '', to = '']): CharacterRange => [code(from), code(to)]));
}

const code = (character: string) => character.codePointAt(0) as number;

/** The same characters in order, with gaps between the ranges. */
export function mergedRanges(ranges: readonly CharacterRange[]): readonly CharacterRange[] {
  const merged: [number, number][] = [];
  for (const [first, last] of ranges.toSorted(([a], [b]) => a - b)) {
    const before = merged.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else merged.push([first, last]);
  }
  return merged;
}

/** All other characters. The ranges must be merged. */
export function otherRanges(ranges: readonly CharacterRange[]): readonly CharacterRange[] {
  const others: CharacterRange[] = [];
  let next = 0;
  for (const [first, last] of ranges) {
    if (first > next) others.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= lastPoint) others.push([next, lastPoint]);
  return others;
}

const digit = between('09');
const word = between('09', 'AZ', 'az', '__');
const space = between('\t\n', '\f\r', '  ');

export const anyCharacter: readonly CharacterRange[] = [[0, lastPoint]];
export const notNewline = otherRanges(between('\n\n'));

/** `\d`, `\s`, `\w` and their opposites: ASCII only, as in RE2. */
export const perlClasses: Readonly<Record<string, readonly CharacterRange[]>> = {
  d: digit,
  D: otherRanges(digit),
  s: space,
  S: otherRanges(space),
  w: word,
  W: otherRanges(word),
};

/** POSIX classes such as `[[:alpha:]]`. */
export const posixClasses: Readonly<Record<string, readonly CharacterRange[]>> = {
  alnum: between('09', 'AZ', 'az'),
  alpha: between('AZ', 'az'),
  ascii: between('\0\x7f'),
  blank: between('\t\t', '  '),
  cntrl: between('\0\x1f', '\x7f\x7f'),
  digit,
  graph: between('!~'),
  lower: between('az'),
  print: between(' ~'),
  punct: between('!/', ':@', '[`', '{~'),
  space: between('\t\r', '  '),
  upper: between('AZ'),
  word,
  xdigit: between('09', 'AF', 'af'),
};

/** `\p{Greek}`, `\pL`: a script or a category of Unicode. */
export function unicodeProperty(name: string): RegExp {
  for (const property of [name, `Script=${name}`]) {
    try {
      return new RegExp(`^\\p{${property}}$`, 'u');
    } catch {
      // Not a category; try it as a script.
    }
  }
  throw new ExpressionError(`unknown class of characters \\p{${name}}`);
}

/** Whether one of the merged ranges has the code point. The time grows with the logarithm of their number. */
export function isInRanges(ranges: readonly CharacterRange[], point: number): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const range = ranges[middle] as CharacterRange;
    if (point < range[0]) high = middle;
    else if (point > range[1]) low = middle + 1;
    else return true;
  }
  return false;
}

export function isWord(point: number): boolean {
  return isInRanges(word, point);
}
