type Rule = readonly [pattern: RegExp, text: (...found: string[]) => string];

/** Starts with a lower-case letter and ends without a full stop, as a part of a longer line. */
function clause(sentence: string): string {
  const text = sentence.replace(/\.$/, '');
  return /^(It|The|A|An|Allowed)\b/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/** Adds the value unless the reason contains it. */
function invalidValue(name: string, value: string, reason: string): string {
  const text = clause(reason).replace(/^allowed choices are /, 'it must be one of ');
  const shown = JSON.stringify(value);
  const wanted = /^it (must .*)$/s.exec(text)?.[1];
  if (text.includes('"')) return wanted === undefined ? `${name}: ${text}` : `${name} ${wanted}`;
  if (wanted === undefined) return `${name} cannot be ${shown}: ${text}`;
  return `${name} ${wanted}${wanted.startsWith('must be ') ? ', not' : ':'} ${shown}`;
}

const longName = (flags: string) => /--[\w-]+/.exec(flags)?.[0] ?? flags;

function suggestion(text: string): string {
  const names = text.replace(/^one of /, '').replaceAll(', ', '" or "');
  return `: did you mean "${names}"?`;
}

/** Errors of the parser in words of our own, by their code. Source: commander 15: error texts. */
const rules: Readonly<Record<string, readonly Rule[]>> = {
  'commander.missingArgument': [
    [/^missing required argument '(.*)'$/s, (name) => `argument <${name}> is missing`],
  ],
  'commander.optionMissingArgument': [
    [/^option '(.*)' argument missing$/s, (flags) => `option ${longName(flags)} needs a value`],
  ],
  'commander.missingMandatoryOptionValue': [
    [/^required option '(.*)' not specified$/s, (flags) => `option ${longName(flags)} is missing`],
  ],
  'commander.conflictingOption': [
    [
      /^option '(.*)' cannot be used with option '(.*)'$/s,
      (one, other) => `option ${longName(one)} cannot be used with ${longName(other)}`,
    ],
  ],
  'commander.unknownOption': [
    [
      /^unknown option '(.*?)'\n\(Did you mean (.*)\?\)$/s,
      (flag, near) => `unknown option ${JSON.stringify(flag)}${suggestion(near)}`,
    ],
    [/^unknown option '(.*)'$/s, (flag) => `unknown option ${JSON.stringify(flag)}`],
  ],
  'commander.unknownCommand': [
    [
      /^unknown command '(.*?)'\n\(Did you mean (.*)\?\)$/s,
      (name, near) => `unknown command ${JSON.stringify(name)}${suggestion(near)}`,
    ],
    [/^unknown command '(.*)'$/s, (name) => `unknown command ${JSON.stringify(name)}`],
  ],
  'commander.excessArguments': [
    [
      /^too many arguments for '(.*?)'\. Expected (\d+) arguments? but got \d+: (.*)\.$/s,
      (name, most, given) =>
        most === '0'
          ? `command ${name} takes no arguments: ${JSON.stringify(given)}`
          : `command ${name} takes at most ${most === '1' ? '1 argument' : `${most} arguments`}: ${JSON.stringify(given)}`,
    ],
  ],
  'commander.invalidArgument': [
    [
      /^option '(.*?)' argument '(.*)' is invalid\. (.*)$/s,
      (flags, value, reason) => invalidValue(`option ${longName(flags)}`, value, reason),
    ],
    [
      /^command-argument value '(.*)' is invalid for argument '(.*?)'\. (.*)$/s,
      (value, name, reason) => invalidValue(`argument <${name}>`, value, reason),
    ],
  ],
};

/**
 * The text of an error on the command line, without `error: ` at the start and without line breaks.
 *
 * @param code the parser's code of the error; a text without a code stays as it is
 */
export function usageMessage(message: string, code: string | undefined): string {
  const text = message.replace(/^error: /, '');
  for (const [pattern, words] of rules[code ?? ''] ?? []) {
    const found = pattern.exec(text);
    if (found !== null) return words(...(found.slice(1) as string[]));
  }
  return text;
}
