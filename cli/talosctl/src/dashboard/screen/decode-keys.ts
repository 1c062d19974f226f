/** What was pressed: a character, or the name of a key. */
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
  | 'f5';

/** What terminals send behind `ESC [` and `ESC O`: xterm, VT100, the Linux console, rxvt, application mode. */
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
  ...{ '[11~': 'f1', '[12~': 'f2', '[13~': 'f3', '[14~': 'f4', '[15~': 'f5' },
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
  /** The beginning of a sequence whose end has not come. Alone it may be the escape key: see `isFinal`. */
  readonly rest: string;
}

/**
 * The keys in what a terminal sent. Sequences that nobody knows are no keys.
 *
 * @param isFinal nothing more has come for a while: what looks like a beginning is all there is
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

/** Shift and control with an arrow are the arrow: `[1;5A` is `[A`. */
const withoutModifiers = (text: string) =>
  text
    .replace(/^\[1;\d+([A-Z])$/, '[$1')
    .replace(/^\[(\d+);\d+~$/, '[$1~')
    .replace(/^\[([PQRS])$/, 'O$1');
