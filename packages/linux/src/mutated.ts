import fc from 'fast-check';

type Mutation =
  | { readonly kind: 'overwrite' | 'insert'; readonly at: number; readonly text: string }
  | { readonly kind: 'remove' | 'repeat'; readonly at: number; readonly length: number }
  | { readonly kind: 'cut'; readonly at: number };

/** What breaks parsers: bytes of any kind, separators, signs, and numbers that no counter holds. */
const piece = fc.oneof(
  fc.string({ minLength: 1, maxLength: 6, unit: 'binary' }),
  fc.constantFrom(
    '\n',
    ' ',
    '\t',
    ':',
    ',',
    ';',
    '\0',
    '-1',
    '0x',
    'NaN',
    '1e999',
    '(',
    ')',
    '\\x4',
    '\\040',
  ),
  fc.bigInt(-1n, 2n ** 70n).map(String),
);
/** Where, as a part of the whole: so that it shrinks, and fits whatever came before. */
const place = fc.double({ min: 0, max: 1, noNaN: true });

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constantFrom('overwrite' as const, 'insert' as const), at: place, text: piece }),
  fc.record({
    kind: fc.constantFrom('remove' as const, 'repeat' as const),
    at: place,
    length: fc.integer({ min: 1, max: 80 }),
  }),
  fc.record({ kind: fc.constant('cut' as const), at: place }),
);

function apply(text: string, change: Mutation): string {
  const at = Math.floor(change.at * text.length);
  const [before, after] = [text.slice(0, at), text.slice(at)];
  switch (change.kind) {
    case 'overwrite':
      return before + change.text + after.slice(change.text.length);
    case 'insert':
      return before + change.text + after;
    case 'remove':
      return before + after.slice(change.length);
    case 'repeat':
      return before + after.slice(0, change.length) + after;
    case 'cut':
      return before;
  }
}

/** `text` with up to twelve changes anywhere. For property tests of parsers. */
export function mutated(text: string): fc.Arbitrary<string> {
  return fc.array(mutation, { maxLength: 12 }).map((changes) => changes.reduce(apply, text));
}
