/** Options of the node commands that take a value. They may stand before the name of the command. */
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

/** Options without a value that may stand before the name of the command. */
const booleanFlags = new Set(['-h', '--help', '-i', '--insecure', '--verbose']);

export interface SplitCommandLine {
  /** The first word that is not an option or its value; undefined when there is none. */
  readonly command: string | undefined;
  /** Everything else, in its order: options that stood before the command still belong to it. */
  readonly rest: readonly string[];
}

/**
 * Finds the command among the words of a command line, so that `talosctl -n node01 memory` works as
 * `talosctl memory -n node01` does. An option that is not known takes the next word for its value, unless that word
 * is itself a command. Source: Talos v1.14: position of flags.
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
  // `-nnode01` carries its value.
  if (!flag.startsWith('--') && flag.length > 2) return false;
  return !isCommand(next);
}
