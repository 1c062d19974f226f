// Texts that make a regular expression try as many beginnings and divisions as it can: pieces of what it matches, repeated,
// behind what it matches before them, and followed by what it does not match.

const representatives = [...'a0A_ -./:@=,"\'#%[]{}()<>\\\n\t\0é'];
const repeatedPieces = 5;

/** An expression from its source that matches one character, or one word of a fixed length. */
const atom =
  /\\(?:[bB]|k<\w+>|[pP]\{[^}]+\}|u\{[0-9a-f]+\}|u[0-9a-f]{4}|x[0-9a-f]{2}|.)|\[(?:\\.|[^\]\\])*\]|\(\?(?:[:=!]|<[=!]|<\w+>)|\{\d+,?\d*\}\??|[()|*+?^$]|[^\\]/giu;
const noCharacter = /^(?:\\[bB]|\\k<.*|\(.*|[)|*+?^$]|\{\d+,?\d*\}\??)$/;

/** For each character of a match some that may stand there. */
function samples({ source, flags }: RegExp): string[][] {
  return (source.match(atom) ?? [])
    .filter((part) => !noCharacter.test(part))
    .map((part) => {
      if (part.length === 1 && part !== '.') return [part];
      const one = new RegExp(`^(?:${part})$`, flags.replaceAll(/[gy]/g, ''));
      const range = /^\[\^?\\?(.)/.exec(part)?.[1] ?? '';
      return [...new Set([range, part.replace(/^\\/, ''), ...representatives])].filter((text) =>
        one.test(text),
      );
    })
    .filter((choices) => choices.length > 0);
}

/** Hostile texts of about this length. */
export function* hostileTexts(expression: RegExp, length: number): Generator<string> {
  const choices = samples(expression);
  const firsts = choices.map(([first = '']) => first);
  const pieces = new Map<string, Set<string>>();
  const add = (piece: string, before: string) => {
    const prefixes = pieces.get(piece) ?? new Set(['', '\u0001']);
    pieces.set(piece, prefixes.add(before));
  };
  for (const [at, some] of choices.entries()) {
    const before = firsts.slice(0, at).join('');
    for (const piece of some) add(piece, before);
    for (let count = 2; count <= repeatedPieces && at + count <= firsts.length; count += 1)
      add(firsts.slice(at, at + count).join(''), before);
    for (const piece of some.slice(1)) add(`${firsts[0]}${piece}`, '');
  }
  add(firsts.join(''), '');
  for (const [piece, prefixes] of pieces)
    for (const prefix of prefixes)
      for (const suffix of ['', '\u0001', '\n!'])
        yield prefix + piece.repeat(Math.ceil(length / Math.max(1, piece.length))) + suffix;
}
