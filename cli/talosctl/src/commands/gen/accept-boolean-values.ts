import type { Command } from 'commander';

const values: Readonly<Record<string, boolean>> = {
  true: true,
  t: true,
  '1': true,
  false: false,
  f: false,
  '0': false,
};

/**
 * Accepts boolean flags with a value after an equals sign, such as `--with-docs=false`. Upstream's flags take this form
 * to turn off a default. A flag that is on by default must also have a `--no-` form, which may be hidden.
 */
export function acceptBooleanValues(command: Command): Command {
  const parseOptions = command.parseOptions.bind(command);
  command.parseOptions = (words) => {
    const end = words.indexOf('--');
    const flags = end < 0 ? words : words.slice(0, end);
    return parseOptions([...flags.flatMap((word) => rewrite(command, word)), ...words.slice(flags.length)]);
  };
  return command;
}

function rewrite(command: Command, word: string): string[] {
  const [, flag, text = ''] = /^(--?[a-z][a-z-]*)=(.*)$/s.exec(word) ?? [];
  const option = command.options.find(
    ({ long, short }) => flag !== undefined && (long === flag || short === flag),
  );
  if (flag === undefined || !option?.isBoolean()) return [word];
  const value = values[text.toLowerCase()];
  if (value === undefined) {
    command.error(`error: invalid value ${JSON.stringify(text)} for flag ${flag}: it must be true or false`);
  }
  if (value) return [flag];
  const opposite = `--no-${flag.replace(/^--/, '')}`;
  return command.options.some(({ long }) => long === opposite) ? [opposite] : [];
}
