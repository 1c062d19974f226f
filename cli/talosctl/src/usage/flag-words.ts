import { type Command, Option } from 'commander';

/** The words that Go's strconv.ParseBool takes, in small letters. Source: pflag: boolean flags. */
const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  t: true,
  '1': true,
  false: false,
  f: false,
  '0': false,
};

/**
 * The words of a command line as the parser understands them, with the same meaning. Users of upstream's talosctl may
 * write a value after an equals sign for each flag: `--wait=false`, `-k=false`, `-n=node01`, and `-fk=false`, where the
 * value belongs to the last letter. Words that are values of other flags, that follow `--`, or that begin with a flag
 * that `command` does not know stay as they are. A flag that is turned off gets its `--no-` form, which stays hidden
 * unless the command has it.
 *
 * @throws UsageFault for a value of a boolean flag that is neither true nor false
 */
export function flagWords(command: Command, words: readonly string[]): string[] {
  const result: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] as string;
    if (word === '--') return [...result, ...words.slice(index)];
    result.push(...withPreset(command, withoutEqualsSign(command, word)));
    if (!takesNextWord(command, word)) continue;
    index += 1;
    result.push(...words.slice(index, index + 1));
  }
  return result;
}

/** A flag whose value is optional takes it only after an equals sign, so that `--prove FILE` has a file. Source: pflag: NoOptDefVal. */
function withPreset(command: Command, words: readonly string[]): readonly string[] {
  const [word = ''] = words;
  const option = words.length === 1 ? optionNamed(command, word) : undefined;
  if (option?.optional !== true || option.presetArg === undefined) return words;
  return [`${option.long}=${option.presetArg}`];
}

function withoutEqualsSign(command: Command, word: string): string[] {
  const [, names = '', value = ''] = /^(-[A-Za-z0-9]+|--[A-Za-z][\w-]*)=(.*)$/s.exec(word) ?? [];
  if (names === '') return [word];
  // The parser itself reads a value after the equals sign of a long flag, but for help and boolean flags.
  if (names === '--help' || names === '-h') return booleanOf(command, names, value) ? [names] : [];
  const letters = names.startsWith('--') ? [] : [...names.slice(1)].map((letter) => `-${letter}`);
  const before = letters.slice(0, -1).map((letter) => optionNamed(command, letter));
  if (!before.every((option) => option !== undefined && isBoolean(option))) return [word];
  const option = optionNamed(command, letters.at(-1) ?? names);
  if (option === undefined) return [word];
  if (isBoolean(option)) {
    return [...letters.slice(0, -1), formOf(command, option, booleanOf(command, names, value))];
  }
  return option.required && letters.length > 0 ? [...letters, value] : [word];
}

/** Whether the word after this one is the value of a flag. */
function takesNextWord(command: Command, word: string): boolean {
  if (word.startsWith('--')) return optionNamed(command, word)?.required === true;
  if (!/^-[A-Za-z0-9]+$/.test(word)) return false;
  const options = [...word.slice(1)].map((letter) => optionNamed(command, `-${letter}`));
  const first = options.findIndex((option) => option === undefined || !isBoolean(option));
  return first === options.length - 1 && options[first]?.required === true;
}

function optionNamed(command: Command, name: string): Option | undefined {
  return command.options.find(({ long, short }) => long === name || short === name);
}

function isBoolean(option: Option): boolean {
  return !option.required && !option.optional;
}

function booleanOf(command: Command, flag: string, text: string): boolean {
  const value = Object.hasOwn(booleans, text.toLowerCase()) ? booleans[text.toLowerCase()] : undefined;
  if (value !== undefined) return value;
  return command.error(
    `error: invalid value ${JSON.stringify(text)} for flag ${flag}: it must be true or false`,
  );
}

/** The flag that turns the option on or off. The parser learns it if the command has no such flag. */
function formOf(command: Command, option: Option, value: boolean): string {
  const long = option.long ?? '';
  if (value) return long;
  const opposite = option.negate ? long.replace('--no-', '--') : long.replace('--', '--no-');
  if (optionNamed(command, opposite) === undefined) command.addOption(new Option(opposite).hideHelp());
  return opposite;
}
