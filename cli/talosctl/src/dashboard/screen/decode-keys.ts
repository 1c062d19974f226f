/** A key that was pressed: a character, or the name of the key. */
export type Key =
  | { readonly kind: 'character'; readonly text: string }
  | { readonly kind: 'named'; readonly name: KeyName };

export type KeyName =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'page-up'
  | 'page-down'
  | 'home'
  | 'end'
  | 'enter'
  | 'escape'
  | 'tab'
  | 'shift-tab'
  | 'backspace'
  | 'ctrl-c'
  | 'ctrl-z'
  | 'ctrl-l'
  | 'f1'
  | 'f2'
  | 'f3'
  | 'f4'
  | 'f5'
  | 'f6'
  | 'f7';

/**
 * The sequences that terminals send after `ESC [` and `ESC O`: xterm, VT100, the Linux console, rxvt,
 * application mode.
 */
const sequences: Readonly<Record<string, KeyName>> = {
  ...{ '[A': 'up', '[B': 'down', '[C': 'right', '[D': 'left', OA: 'up', OB: 'down', OC: 'right', OD: 'left' },
  ...{
    '[H': 'home',
    '[F': 'end',
    OH: 'home',
    OF: 'end',
    '[1~': 'home',
    '[4~': 'end',
    '[7~': 'home',
    '[8~': 'end',
  },
  ...{ '[5~': 'page-up', '[6~': 'page-down', '[Z': 'shift-tab' },
  ...{
    OP: 'f1',
    OQ: 'f2',
    OR: 'f3',
    OS: 'f4',
    '[[A': 'f1',
    '[[B': 'f2',
    '[[C': 'f3',
    '[[D': 'f4',
    '[[E': 'f5',
  },
  ...{ '[11~': 'f1', '[12~': 'f2', '[13~': 'f3', '[14~': 'f4', '[15~': 'f5', '[17~': 'f6', '[18~': 'f7' },
};

const controls: Readonly<Record<string, KeyName>> = {
  '\u0003': 'ctrl-c',
  '\u0008': 'backspace',
  '\u0009': 'tab',
  '\u000a': 'enter',
  '\u000c': 'ctrl-l',
  '\u000d': 'enter',
  '\u001a': 'ctrl-z',
  '\u007f': 'backspace',
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const sequence = /^\u001b(\[\[[A-E]|\[[0-?]*[ -/]*[@-~]|O[A-Za-z])/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const unfinished = /^\u001b(?:\[\[?[0-?]*[ -/]*|O)?$/;

export interface DecodedKeys {
  readonly keys: readonly Key[];
  /** An incomplete sequence. A lone escape may be the escape key: see `isFinal`. */
  readonly rest: string;
}

/**
 * The keys in the input of a terminal. Unknown sequences are ignored.
 *
 * @param isFinal no input has followed for a while: an incomplete sequence is all that comes
 */
export function decodeKeys(input: string, isFinal: boolean): DecodedKeys {
  const keys: Key[] = [];
  let rest = input;
  while (rest !== '') {
    if (unfinished.test(rest)) {
      if (!isFinal) return { keys, rest };
      return { keys: rest === '\u001b' ? [...keys, named('escape')] : keys, rest: '' };
    }
    const found = sequence.exec(rest);
    if (found !== null) {
      const name = sequences[withoutModifiers(found[1] as string)];
      if (name !== undefined) keys.push(named(name));
      rest = rest.slice(found[0].length);
      continue;
    }
    const character = String.fromCodePoint(rest.codePointAt(0) as number);
    rest = rest.slice(character.length);
    const control = controls[character];
    if (control !== undefined) keys.push(named(control));
    else if (character === '\u001b') keys.push(named('escape'));
    else if (character >= ' ') keys.push({ kind: 'character', text: character });
  }
  return { keys, rest: '' };
}

const named = (name: KeyName): Key => ({ kind: 'named', name });

/** An arrow with shift or control counts as the arrow: `[1;5A` is `[A`. */
const withoutModifiers = (text: string) =>
  text
    .replace(/^\[1;\d+([A-Z])$/, '[$1')
    .replace(/^\[(\d+);\d+~$/, '[$1~')
    .replace(/^\[([PQRS])$/, 'O$1');
