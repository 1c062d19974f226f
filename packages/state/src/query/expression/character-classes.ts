import { type CharacterTest, ExpressionError } from './syntax.ts';

const code = (character: string) => character.codePointAt(0) as number;

/** Tests for a character in one of these ranges: `between('az', '09')`. */
function between(...ranges: string[]): CharacterTest {
  const pairs = ranges.map(([from = '', to = '']) => [code(from), code(to)] as const);
  return (point) => pairs.some(([from, to]) => point >= from && point <= to);
}

export const not =
  (test: CharacterTest): CharacterTest =>
  (point) =>
    !test(point);

const digit = between('09');
export const isWord = between('09', 'AZ', 'az', '__');
const space: CharacterTest = (point) => [9, 10, 12, 13, 32].includes(point);

/** `\d`, `\s`, `\w` and their opposites: ASCII only, as in RE2. */
export const perlClasses: Readonly<Record<string, CharacterTest>> = {
  d: digit,
  D: not(digit),
  s: space,
  S: not(space),
  w: isWord,
  W: not(isWord),
};

/** POSIX classes such as `[[:alpha:]]`. */
export const posixClasses: Readonly<Record<string, CharacterTest>> = {
  alnum: between('09', 'AZ', 'az'),
  alpha: between('AZ', 'az'),
  ascii: (point) => point < 128,
  blank: (point) => point === 9 || point === 32,
  cntrl: (point) => point < 32 || point === 127,
  digit,
  graph: between('!~'),
  lower: between('az'),
  print: between(' ~'),
  punct: between('!/', ':@', '[`', '{~'),
  space: (point) => (point >= 9 && point <= 13) || point === 32,
  upper: between('AZ'),
  word: isWord,
  xdigit: between('09', 'AF', 'af'),
};

/** `\p{Greek}`, `\pL`: a script or a category of Unicode. */
export function unicodeClass(name: string): CharacterTest {
  for (const property of [name, `Script=${name}`]) {
    try {
      const pattern = new RegExp(`^\\p{${property}}$`, 'u');
      return (point) => pattern.test(String.fromCodePoint(point));
    } catch {
      // Not a category; try it as a script.
    }
  }
  throw new ExpressionError(`unknown class of characters \\p{${name}}`);
}

/** The same test, ignoring the case of letters. */
export function ignoringCase(test: CharacterTest): CharacterTest {
  return (point) => {
    const text = String.fromCodePoint(point);
    return test(point) || test(code(text.toLowerCase())) || test(code(text.toUpperCase()));
  };
}
