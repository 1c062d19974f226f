/** Connection options with a value, which may precede the command. */
const valueFlags = new Set([
  '-n',
  '--nodes',
  '-e',
  '--endpoints',
  '-c',
  '--cluster',
  '--context',
  '--talosconfig',
  '--siderov1-keys-dir',
  '--cert-fingerprint',
]);

/** Options without a value, which may precede the command. */
const booleanFlags = new Set(['-h', '--help', '-i', '--insecure', '--verbose']);

export interface SplitCommandLine {
  /** The first word that is not an option or its value; `undefined` if there is none. */
  readonly command: string | undefined;
  /** All other words in order, including the options before the command. */
  readonly rest: readonly string[];
}

/**
 * Finds the command in a command line, so that `talosctl -n node01 memory` works like `talosctl memory -n node01`. The
 * word after an unknown option counts as its value, unless that word is a command.
 * Source: Talos v1.14: position of flags.
 */
export function splitCommandLine(
  words: readonly string[],
  isCommand: (word: string) => boolean,
): SplitCommandLine {
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] as string;
    if (word === '--') break;
    if (!word.startsWith('-') || word === '-') {
      return { command: word, rest: [...words.slice(0, index), ...words.slice(index + 1)] };
    }
    if (takesNextWord(word, words[index + 1], isCommand)) index += 1;
  }
  return { command: undefined, rest: words };
}

function takesNextWord(
  flag: string,
  next: string | undefined,
  isCommand: (word: string) => boolean,
): boolean {
  if (next === undefined || flag.includes('=') || booleanFlags.has(flag)) return false;
  if (valueFlags.has(flag)) return true;
  // An option such as `-nnode01` includes its value.
  if (!flag.startsWith('--') && flag.length > 2) return false;
  return !isCommand(next);
}
